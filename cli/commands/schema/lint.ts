import { type Cli, Command } from '../../command.ts';
import { type FindingFormat, findingFormatOption, printFindings } from './findings.ts';

export const lintCommand = (cli: Cli): Command =>
  new Command('lint')
    .description('whether the schemas may be contracts at all: no free string, no default symbol, every bound; offline')
    .argument('[files...]', "schema files named after their event type, else this tree's")
    .addOption(findingFormatOption())
    .action(async (files: readonly string[], flags: { readonly output: FindingFormat }) => {
      await cli.ends(
        (async () => {
          const [{ lintSchemas }, { textsOf }] = await Promise.all([
            import('../../../schemas/index.ts'),
            import('./texts.ts'),
          ]);
          const texts = textsOf(files);
          return printFindings(lintSchemas(texts), `${texts.length} schema(s), no finding`, cli.io, flags.output);
        })(),
      );
    });
