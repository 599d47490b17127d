/** The same call, the same event: UUID v5 of the tool-call id in the namespace of the session id (design 3.2). */
import { v5 } from 'uuid';

/** `sessionId` is canonical. The namespace goes in as bytes: as text, the library refuses versions it does not know. */
export const eventIdOf = (sessionId: string, toolCallId: string): string =>
  v5(toolCallId, Buffer.from(sessionId.replaceAll('-', ''), 'hex'));
