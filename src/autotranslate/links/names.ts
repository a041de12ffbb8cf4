import { channelMention, type Channel, type Space } from '../../model/place.ts';
import { sentence } from '../../rich-text/compose.ts';
import { visit } from '../../rich-text/walk.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { NAMED_MS, within, type WatchedPlatforms } from '../watched-platforms.ts';

/** The name of a platform in sentences. */
export const titleOf = (platform: string): string =>
  platform.charAt(0).toUpperCase() + platform.slice(1);

/** Resolves with what a platform knows of a name, and with undefined where it fails or does not answer in time. */
const known = async <Name>(
  asked: Promise<Name | undefined> | undefined,
): Promise<Name | undefined> =>
  asked &&
  within(
    NAMED_MS,
    asked.catch(() => undefined),
    undefined,
  );

/** The name of a server or workspace for people elsewhere, with its platform; the platform alone where it does not answer in time. */
export const spaceElsewhere = async (
  space: Space,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const name = await known(platforms.find({ space })?.feed.spaceName?.(space));
  const platform = titleOf(space.platform);
  return name === undefined ? platform : `${quotedWords(name)} (${platform})`;
};

/**
 * The name of a channel for people elsewhere: as its own readers know it, with its server or workspace and its platform;
 * what is not known, or not told in time, is left out.
 */
export const nameElsewhere = async (
  { space, ...rest }: Channel,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const channel = { ...rest, space };
  const feed = platforms.find(channel)?.feed;
  const [named, around] = await Promise.all([
    known(feed?.named(channel, sentence(channelMention(channel)))),
    known(feed?.spaceName?.(space)),
  ]);
  const names: string[] = [];
  visit(named ?? [], (node) => {
    if (node.kind === 'mention' && node.name !== undefined) names.push(`#${node.name}`);
  });
  const parts = [names[0], around].filter((name) => name !== undefined);
  const platform = titleOf(space.platform);
  if (parts.length === 0) return platform;
  return `${parts.map((name) => quotedWords(name)).join(' · ')} (${platform})`;
};
