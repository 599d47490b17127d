/**
 * The contract's logical types: checked when bytes are written and when they are read, because a foreign writer may be
 * careless or hostile. Values stay what the Avro type says (text, number); only the checking is added.
 */
import avro from 'avsc';
import { ID_KINDS, isInTimeWindow } from '../../schemas/index.ts';
import type { QuarantineReason } from '../reasons.ts';
import { Violation } from './violation.ts';

const checked = (avroType: string, isRight: (value: unknown) => boolean, reason: QuarantineReason) =>
  class extends avro.types.LogicalType {
    constructor(schema: avro.Schema, options?: Partial<avro.ForSchemaOptions>) {
      super(schema, options);
      if (this.underlyingType.typeName !== avroType) throw new Violation('FOREIGN_CONTRACT');
    }

    private check(value: unknown): unknown {
      if (!isRight(value)) throw new Violation(reason);
      return value;
    }

    protected override _fromValue(value: unknown): unknown {
      return this.check(value);
    }

    protected override _toValue(value: unknown): unknown {
      return this.check(value);
    }
  };

export const LOGICAL_TYPES = {
  uuid: checked('string', ID_KINDS.uuid, 'ID_INVALID'),
  'agent-id': checked('string', ID_KINDS['agent-id'], 'ID_INVALID'),
  'timestamp-millis': checked('long', isInTimeWindow, 'TIME_OUT_OF_RANGE'),
};
