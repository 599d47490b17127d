/** What a rule found: where in which schema, why the rule exists, and what to do. Texts of the contract, never of an event. */
export interface Finding {
  /** The event type, by its file. */
  readonly type: string;
  readonly rule: string;
  /** The path inside the schema, such as `fields.tipo.type.symbols`; empty for the whole file. */
  readonly where: string;
  readonly reason: string;
  readonly fix: string;
}

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
