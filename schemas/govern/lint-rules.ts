/** The rules of `schema lint` by name: why each exists and how to comply. Design 3.2 and 3.5. */
export const LINT_RULES = {
  'json-invalid': {
    reason: 'a file that is no JSON cannot be registered',
    fix: 'Correct its JSON',
  },
  'duplicate-key': {
    reason: 'of two members with one name each language keeps another',
    fix: 'Delete one of them',
  },
  'not-a-record': {
    reason: 'one event type is one Avro record',
    fix: 'Make the top level {"type": "record", …}',
  },
  'namespace-missing': {
    reason: 'without a namespace of its own, clients find the subject by luck',
    fix: 'Set "namespace": "anamnese"',
  },
  'name-is-not-the-event-type': {
    reason: 'namespace + name is the event type, the subject and the file name',
    fix: 'Make the three equal, and let the name hold no dot',
  },
  'attribute-unknown': {
    reason: 'a misspelt or foreign attribute is ignored by every reader, so a constraint would silently be none',
    fix: 'Delete it, or correct its spelling or its place',
  },
  'alias-refused': {
    reason: 'an alias lets a reader take one field or type for another',
    fix: 'Delete the alias; a new name is a new field',
  },
  'doc-missing': {
    reason: 'the documentation of the event is made of these texts',
    fix: 'Write a doc of one sentence',
  },
  'symbol-undocumented': {
    reason: "every word of a vocabulary has a meaning, and the enum's doc is where it stands",
    fix: 'Write "symbol: meaning." into the doc of the enum',
  },
  'string-free': {
    reason: 'a name or a trait of a person would travel in a free string (ADR 0205, decision 2)',
    fix: 'Give it the logicalType of an id kind, or make it an enum',
  },
  'type-forbidden': {
    reason: 'bytes, maps, floats, unions and the like can carry text or cannot be read by every tool',
    fix: 'Use a string with an id kind, a long with timestamp-millis, an enum, or a bounded array of ids',
  },
  'enum-default': {
    reason: 'with a default an unknown symbol silently becomes a known one',
    fix: 'Delete the default of the enum and of its field',
  },
  'default-invalid': {
    reason: 'a reader of older records takes the default as the value, so a text in it would be data',
    fix: 'Make it a value that the type itself allows, or delete it',
  },
  'type-name-repeated': {
    reason: 'Avro defines a named type once; a parser refuses the second',
    fix: 'Use another enum, or leave the second field out',
  },
  'symbol-style': {
    reason: 'symbols are words of the product: lower case, digits and underscores',
    fix: 'Write it as [a-z][a-z0-9_]*',
  },
  'symbols-not-the-vocabulary': {
    reason: 'the code knows these words in this order; the wire carries only their index',
    fix: 'Make the symbols and the closed list in schemas/ equal, in order',
  },
  'array-unbounded': {
    reason: 'a list without a bound can carry anything and fill any memory',
    fix: 'Set "maxItems", a whole number from 1 to 20',
  },
  'logical-type-unknown': {
    reason: 'readers ignore a logical type they do not know, and with it the check',
    fix: 'Use one of the id catalogue, or timestamp-millis on a long',
  },
  'field-name-style': {
    reason: 'a field is a name in every language that reads it, and is written once',
    fix: 'Write it in camelCase, letters and digits, and only once',
  },
  'envelope-differs': {
    reason: 'every event type begins with the same five fields, so that one reader serves all',
    fix: 'Copy the first five fields from another schema, letter for letter',
  },
} as const satisfies Record<string, { reason: string; fix: string }>;

export type LintRule = keyof typeof LINT_RULES;
