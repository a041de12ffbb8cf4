import { channelMention } from '../model/place.ts';
import {
  hasRules,
  isPaused,
  isQuiet,
  usedLanguages,
  type ChannelWatch,
  type SpaceChoices,
} from '../model/space.ts';
import { series, type Maybe } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { CommandContext } from './command.ts';
import { listOf, modeKey } from './helpers.ts';

type Context = Pick<CommandContext<unknown>, 'services' | 'locale' | 't'>;
type Choices = Pick<SpaceChoices, 'quietChannels'>;

/** Says what keeps a watch, or a channel elsewhere that is linked with it, from being done now. */
const marks = async (
  watch: ChannelWatch,
  choices: Choices,
  { services, t }: Context,
): Promise<readonly Maybe<RichText>[]> => {
  const { isLost, isHeld, elsewhere } = await services.watches.state(watch);
  return [
    isPaused(watch) && t('autotranslate.is-paused'),
    isHeld && t('members.held'),
    isQuiet(watch.channel, choices) && t('autotranslate.is-quiet'),
    isLost && t('autotranslate.is-lost'),
    elsewhere.paused > 0 && t('autotranslate.elsewhere-paused', { count: elsewhere.paused }),
    elsewhere.lost > 0 && t('autotranslate.elsewhere-lost', { count: elsewhere.lost }),
  ];
};

/** The number of watched channels, and of those that are threads, for sentences. */
export const watchCounts = (
  watches: readonly ChannelWatch[],
): { readonly count: number; readonly threads: number } => ({
  count: watches.length,
  threads: watches.filter(({ channel }) => channel.parentId !== undefined).length,
});

/** Says what is set for a channel, in a line, and what keeps it from being done now. */
export const watchLine = async (
  watch: ChannelWatch,
  choices: Choices,
  ctx: Context,
): Promise<RichText> => {
  const { services, t, locale } = ctx;
  const names = usedLanguages(watch).map((language) => services.languages.name(language, locale));
  return series([
    channelMention(watch.channel),
    t(modeKey(watch)),
    names.length > 0 && listOf(names, locale),
    watch.transcribes && watch.mode !== 'request' && t('autotranslate.with-voice-messages'),
    watch.bots && t('autotranslate.with-bots'),
    hasRules(watch) && t('autotranslate.with-rules'),
    ...(await marks(watch, choices, ctx)),
  ]);
};
