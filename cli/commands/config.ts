import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import type { Origin } from '../config.ts';
import { masked } from '../masked.ts';
import { type Column, type Format, formatOption, print } from '../output/format.ts';
import type { BrushName } from '../output/paint.ts';
import { ALL_SETTINGS, SETTING_NAMES } from '../settings.ts';

interface ShownSetting {
  readonly setting: string;
  /** Undefined: not set. */
  readonly value: string | undefined;
  readonly origin: Origin;
  readonly flag: string | undefined;
}

const BRUSHES = { flag: 'bold', environment: 'none', default: 'dim', 'not set': 'dim' } as const satisfies Record<
  Origin,
  BrushName
>;

const columns = (shown: (text: string) => string): readonly Column<ShownSetting>[] => [
  { heading: 'setting', of: ({ setting }) => setting, isWhole: true },
  { heading: 'value', of: ({ value }) => (value === undefined ? '-' : shown(value)) },
  { heading: 'from', of: ({ origin }) => origin, brush: ({ origin }) => BRUSHES[origin], isWhole: true },
  { heading: 'flag', of: ({ flag }) => flag ?? '-', isWhole: true, spared: 1 },
];

export const configCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('config'), SETTING_NAMES)
    .description('every setting, its value and where it came from: a flag, the environment or the default')
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const config = configOf(command, cli);
        const { shownText } = await import('../output/text-width.ts');
        const names = Object.keys(ALL_SETTINGS) as readonly (keyof typeof ALL_SETTINGS)[]; // its own keys
        const records = names.map((setting): ShownSetting => {
          const { value, origin } = config.setting(setting);
          const flag = ALL_SETTINGS[setting].flag?.split(' ')[0];
          return { setting, value: value === undefined ? undefined : masked(value), origin, flag };
        });
        await print(
          {
            records,
            columns: columns(shownText),
            toJson: ({ setting, value, origin, flag }) => ({
              setting,
              value: value ?? null,
              origin,
              flag: flag ?? null,
            }),
          },
          cli.screen,
          flags.output,
        );
        return 0;
      })(),
    );
  });
};
