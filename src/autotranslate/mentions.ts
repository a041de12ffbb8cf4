import { normalise } from '../model/normalise-rich-text.ts';
import type { Channel } from '../model/place.ts';
import type { RichText } from '../model/rich-text.ts';
import { asText, map } from '../model/walk-rich-text.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

type Platforms = Pick<WatchedPlatforms, 'of'>;

const isSameSpace = ({ space: a }: Channel, { space: b }: Channel): boolean =>
  a.id === b.id && a.platform === b.platform;

/**
 * Names the mentions in a text of one channel as the readers of another may know them. Ids mean
 * something only in their own space: readers elsewhere know what every reader of the text's own
 * channel may know, whose words they read.
 */
export const namedFor = (
  text: RichText,
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<RichText> => {
  const readers = isSameSpace(from, to) ? to : from;
  return platforms.of(readers).feed.named(readers, text);
};

/**
 * Converts a text of one channel into one for another. Within a space mentions stay: the platform
 * shows each reader the names that they may know. Anywhere else they become names.
 */
export const textFor = async (
  text: RichText,
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<RichText> => {
  if (isSameSpace(from, to)) return text;
  const named = await namedFor(text, from, to, platforms);
  return normalise(map(named, (node) => (node.kind === 'mention' ? asText(node) : node)));
};
