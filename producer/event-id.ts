/** The same call, the same event: UUID v5 of the tool-call id in the namespace of the session id (design 3.2). */
import { v5 } from 'uuid';

/**
 * `sessionId` is canonical. The namespace goes in as bytes: as text, the library refuses versions it does not know. So does
 * the call's id: the library takes as long to make bytes of it as to hash them.
 */
export const eventIdOf = (sessionId: string, toolCallId: string): string =>
  v5(Buffer.from(toolCallId), Buffer.from(sessionId.replaceAll('-', ''), 'hex'));
