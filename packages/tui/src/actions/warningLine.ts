import type { ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { format } from "@agent-arena/core/domain/SourcePosition"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { Style } from "@agent-arena/core/report/Style"

/** What the project would better not say, and where it says it; one line. */
export const warningLine = ({ message, position, suggestion }: ProjectIssue, style: Style): string =>
  `${style.warn("!")} ${sanitiseLine(`${format(position)}  ${message}${suggestion === null ? "" : ` (${suggestion})`}`)}`
