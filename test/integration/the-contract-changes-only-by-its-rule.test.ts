import { beforeEach, describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, checkLock, loadSchemaText, readGovernance } from '../../schemas/index.ts';
import { createRegistry, registerSchemas } from '../../wire/index.ts';
import { describeChecking } from '../support/schema-checking.ts';
import { addField, edited, type Edit, PIECES, swap, withEdit } from '../support/schema-edits.ts';
import { FOURTH_TIPO } from '../support/schema-governance.ts';
import { describeWithOwnRegistry } from '../support/schema-own-registry.ts';
import { describeRegistering } from '../support/schema-registering.ts';

describeWithOwnRegistry('the contract changes only by its rule', (open) => {
  describeRegistering('registering with the real registry', open);
  describeChecking('checking against the real registry', open);

  describe('at FULL_TRANSITIVE the registry', () => {
    const register = (edit: Edit) => createRegistry({ url: open().url }).register(AGENT_DEVIATION, edited(edit));
    const hasVersions = async (): Promise<number> =>
      (await createRegistry({ url: open().url }).versions(AGENT_DEVIATION)).length;

    beforeEach(async () => {
      await open().forget();
      await registerSchemas(createRegistry({ url: open().url }));
    });

    test.each([
      ['a symbol added', FOURTH_TIPO],
      ['a symbol taken out', swap(', "reparo_pelo_usuario"]', ']')],
      [
        'a symbol added as the default',
        swap(
          PIECES.symbols,
          '["laco", "cancelamento_pelo_usuario", "reparo_pelo_usuario", "outro"], "default": "outro"',
        ),
      ],
      ['a field added without a default', addField('{ "name": "turnId", "type": "string", "doc": "T." }')],
    ])('refuses %s by itself', async (_name, edit) => {
      await expect(register(edit)).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH', exitCode: 3 });
      expect(await hasVersions()).toBe(1);
    });

    // Why there is a check of our own: none of these may happen without a rule, and the registry sees no harm in them.
    test.each([
      [
        'symbols in another order',
        swap(PIECES.symbols, '["reparo_pelo_usuario", "laco", "cancelamento_pelo_usuario"]'),
      ],
      ['a raised ceiling', swap('"maxItems": 20', '"maxItems": 1000')],
      ['another id kind', swap(PIECES.agente, PIECES.agente.replace('agent-id', 'uuid'))],
      ['a free string with a default', addField('{ "name": "nota", "type": "string", "default": "", "doc": "T." }')],
    ])('takes %s, which our own check refuses', async (_name, edit) => {
      await register(edit);
      expect(await hasVersions()).toBe(2);
      expect(checkLock(withEdit(edit), readGovernance()).map(({ rule }) => rule)).toContain('text-not-locked');
    });

    test('takes a text in other white space for the one it has', async () => {
      const compact = JSON.stringify(JSON.parse(loadSchemaText(AGENT_DEVIATION)));
      const registry = createRegistry({ url: open().url });
      expect(await registry.idOfText(AGENT_DEVIATION, compact)).toBe(
        await registry.idOfText(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION)),
      );
      expect(await hasVersions()).toBe(1);
    });
  });
});
