import { defineConfig } from "vitest/config"

// Tests import the packages by name and run their sources, so no build is needed before `vitest`.
const conditions = ["agent-arena-source", "node", "import", "default"]

export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/{core,connectors,tui}/**/*.test.{ts,tsx}"],
          environment: "node",
          testTimeout: 20_000
        }
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          environment: "node",
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      }
    ]
  }
})
