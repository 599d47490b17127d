import type { Change } from '../../../schemas/index.ts';
import { type Cli, Command } from '../../command.ts';
import { writeLine } from '../../io.ts';
import { type Format, formatOption, print } from '../../output/format.ts';

interface ChangeRow extends Change {
  readonly type: string;
}

export const diffCommand = (cli: Cli): Command =>
  new Command('diff')
    .description('what a change means: safe, breaks readers, breaks writers, changes meaning')
    .argument('[before]', 'schema file, else the last locked text of each type')
    .argument('[after]', "schema file, else this tree's")
    .addOption(formatOption())
    .action(
      async (
        before: string | undefined,
        after: string | undefined,
        flags: { readonly output?: Format },
        self: Command,
      ) => {
        if ((before === undefined) !== (after === undefined))
          self.error('error: name both files, or none', { exitCode: 2 });
        await cli.ends(
          (async () => {
            const [schemas, { changesBetween, readSchemaFile }] = await Promise.all([
              import('../../../schemas/index.ts'),
              import('./texts.ts'),
            ]);
            const pairs =
              before !== undefined && after !== undefined
                ? [
                    {
                      type: readSchemaFile(after).type,
                      old: readSchemaFile(before).text,
                      now: readSchemaFile(after).text,
                    },
                  ]
                : schemas.loadSchemaTexts().flatMap(({ type, text }) => {
                    const old = schemas.publishedTexts(type).at(-1);
                    return old === undefined ? [] : [{ type, old, now: text }];
                  });
            const records = pairs.flatMap(({ type, old, now }) =>
              changesBetween(old, now).map((change): ChangeRow => ({ type, ...change })),
            );
            await print(
              {
                records,
                columns: [
                  { heading: 'type', of: (row) => row.type },
                  { heading: 'effect', of: (row) => row.effect },
                  { heading: 'where', of: (row) => row.where },
                  { heading: 'what', of: (row) => row.what },
                ],
                toJson: ({ type, effect, where, what }) => ({ type, effect, where, what }),
              },
              cli.screen,
              flags.output,
            );
            if (records.length === 0) await writeLine(cli.io.stderr, 'no change');
            return 0;
          })(),
        );
      },
    );
