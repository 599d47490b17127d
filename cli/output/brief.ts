/** Shorter texts for narrow tables: still told apart by eye, not meant to be copied. */

/** `2026-11-30T12:00:00.123Z` as `2026-11-30 12:00Z`. */
export const briefTime = (rfc3339: string): string => `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 16)}Z`;

/** The first of the five groups of an id. */
export const briefId = (id: string): string => id.slice(0, 8);

/** `cancelamento_pelo_usuario` as `cancelamento`. */
export const briefTipo = (tipo: string): string => tipo.replace(/_pelo_usuario$/, '');
