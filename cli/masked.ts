/** A setting's value as it may be shown: a password inside an address is not. */
const MASK = '***';

/** `//user:secret@host`: up to the last `@` before the path, for a secret may hold one. */
const USER_AND_SECRET = /(\/\/[^/?#:@]*):[^/?#]*@/;
const SECRET_PARAMETER = /([?&][^=&#]*(?:pass|secret|token|key)[^=&#]*=)[^&#]*/gi;

export const masked = (value: string): string =>
  value.replace(USER_AND_SECRET, `$1:${MASK}@`).replace(SECRET_PARAMETER, `$1${MASK}`);
