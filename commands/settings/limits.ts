import type { AnswerContext, PressContext } from '../../src/command/command.ts';
import { button, limitAmounts } from '../../src/command/helpers.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { lines } from '../../src/rich-text/compose.ts';

/** Amounts of characters and of tokens. */
const AMOUNTS = [10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
const AUDIO_MINUTES = [10, 30, 60, 120, 300, 600, 1_440];
const NO_LIMIT = 'none';

export const limitText = (
  { label, locale }: Pick<AnswerContext, 'label' | 'locale'>,
  limit: number | undefined,
): string =>
  limit === undefined ? label('settings.no-limit') : new Intl.NumberFormat(locale).format(limit);

/** The press, the use, the setting and the offered values of each limit. */
export const LIMITS = [
  ['characters', 'characters', 'dailyCharacters', AMOUNTS],
  ['minutes', 'audioMinutes', 'dailyAudioMinutes', AUDIO_MINUTES],
  ['tokens', 'chatTokens', 'dailyChatTokens', AMOUNTS],
] as const;

/** The page of the limits: those below the operator's, and the operator's own. */
export const limitsPage = async (ctx: AnswerContext): Promise<Content> => {
  const { services, channel, t, label } = ctx;
  const choices = await services.spaces.of(channel.space);
  const { operator, person, reset } = await services.limits.of(channel.space);
  const together = limitAmounts(operator, ctx);
  const each = limitAmounts(person, ctx);
  const controls = LIMITS.map(([press, use, choice, offered]): Control => {
    const most = operator[use] ?? Infinity;
    const now = choices[choice] ?? Infinity;
    const highest =
      operator[use] === undefined
        ? limitText(ctx, undefined)
        : label('settings.by-operator', { limit: limitText(ctx, operator[use]) });
    return {
      kind: 'choice',
      press: `settings ${press}`,
      label: label(`settings.${press}`),
      choices: [
        { value: NO_LIMIT, label: highest, chosen: now >= most },
        ...offered
          .filter((value) => value < most)
          .map((value) => ({
            value: String(value),
            label: limitText(ctx, value),
            chosen: value === now,
          })),
      ],
    };
  });
  return {
    text: lines(
      t('settings.limits-heading'),
      t('settings.limits-how', { reset }),
      t('usage.about-tokens'),
      together && t('settings.limits-operator', { amounts: together }),
      each && t('settings.limits-person', { amounts: each }),
    ),
    controls: [...controls, button(ctx, 'settings page', 'settings.back')],
  };
};

/** The limit that was chosen; undefined for none. */
export const limitOf = ({ values: [value] }: Pick<PressContext, 'values'>): number | undefined =>
  value === undefined || value === NO_LIMIT ? undefined : Number(value);
