/** Whether a field's default is a value of its type, by the same grammar that records are held to. */
import { isInTimeWindow } from '../envelope.ts';
import { ID_KINDS, type IdKind } from '../ids.ts';
import { isObject } from './finding.ts';

const isIdKind = (name: unknown): name is IdKind => typeof name === 'string' && Object.hasOwn(ID_KINDS, name);

/** True for a type that is refused by itself: one slip, one finding. */
export const fitsType = (type: unknown, value: unknown): boolean => {
  if (!isObject(type)) return true;
  switch (type.type) {
    case 'string':
      return !isIdKind(type.logicalType) || ID_KINDS[type.logicalType](value);
    case 'long':
      return isInTimeWindow(value);
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= Number(type.maxItems) &&
        value.every((item) => fitsType(type.items, item))
      );
    default:
      return true;
  }
};
