import type { CommandContext } from '../../src/command/command.ts';
import { channelAround, type Channel } from '../../src/model/place.ts';
import { z } from 'zod';
import { hears } from '../../src/command/helpers.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';

/** The part of a command's context that the actions and their warnings use. */
export type Context<Options = unknown> = Pick<
  CommandContext<Options>,
  'access' | 'channel' | 'services' | 'locale' | 't' | 'signal' | 'options'
>;

/** The channel that was named, or the one that the command was used in: threads are watched with theirs. */
export const chosenChannel = ({
  channel,
  options,
}: Context<{ channel?: Channel | undefined }>): Channel =>
  options.channel ?? channelAround(channel);

/** The names of languages in the reader's language. */
export const namesOf = (languages: readonly string[], { services, locale }: Context): string[] =>
  languages.map((language) => services.languages.name(language, locale));

/** Options of every setting: whether voice messages, and messages of bots, are translated too. */
export const switches = {
  'voice-messages': z.boolean().default(true),
  bots: z.boolean().default(false),
};
type Switches = z.infer<z.ZodObject<typeof switches>>;

/** Says what the switches mean for the channels that are set. */
export const switchLines = async (options: Switches, ctx: Context): Promise<RichText> => {
  const { t } = ctx;
  const voice = options['voice-messages']
    ? (await hears(ctx))
      ? 'autotranslate.voice-messages'
      : 'autotranslate.no-recognition'
    : 'autotranslate.no-voice-messages';
  return lines(t(voice), t(options.bots ? 'autotranslate.bots' : 'autotranslate.no-bots'));
};
