/** The name of a rule that orders a change of the contract. */
export const RN_PATTERN = /^(?:RN-\d{1,6}|ADR-\d{4})$/;
