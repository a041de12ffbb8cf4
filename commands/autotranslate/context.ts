import type { CommandContext } from '../../src/command/command.ts';
import { channelAround, type Channel } from '../../src/model/place.ts';

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
