import { channelMention, type Channel, type Space } from '../../model/place.ts';
import { sentence } from '../../rich-text/compose.ts';
import { visit } from '../../rich-text/walk.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** The name of a platform in sentences. */
export const titleOf = (platform: string): string =>
  platform.charAt(0).toUpperCase() + platform.slice(1);

/** The name of a server or workspace for people elsewhere, with its platform. */
export const spaceElsewhere = async (
  space: Space,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const name = await platforms
    .find({ space })
    ?.feed.spaceName?.(space)
    .catch(() => undefined);
  const platform = titleOf(space.platform);
  return name === undefined ? platform : `${quotedWords(name)} (${platform})`;
};

/**
 * The name of a channel for people elsewhere: as its own readers know it, with its server or workspace and its platform;
 * what is not known is left out.
 */
export const nameElsewhere = async (
  { space, ...rest }: Channel,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const channel = { ...rest, space };
  const feed = platforms.find(channel)?.feed;
  const named = await feed
    ?.named(channel, sentence(channelMention(channel)))
    .catch(() => undefined);
  const names: string[] = [];
  visit(named ?? [], (node) => {
    if (node.kind === 'mention' && node.name !== undefined) names.push(`#${node.name}`);
  });
  const around = await feed?.spaceName?.(space).catch(() => undefined);
  const known = [names[0], around].filter((name) => name !== undefined);
  const platform = titleOf(space.platform);
  if (known.length === 0) return platform;
  return `${known.map((name) => quotedWords(name)).join(' · ')} (${platform})`;
};
