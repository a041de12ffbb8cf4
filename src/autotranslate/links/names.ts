import { channelMention, keyOf, type Channel, type Space } from '../../model/place.ts';
import { sentence } from '../../rich-text/compose.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import { visit } from '../../rich-text/walk.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { NAMED_MS, within, type WatchedPlatforms } from '../watched-platforms.ts';

/** The name of a platform in sentences. */
export const titleOf = (platform: string): string =>
  platform.charAt(0).toUpperCase() + platform.slice(1);

/**
 * Resolves with the name that a platform knows, and where it knows none, fails or does not answer in time, with the one that
 * it knew when this was called.
 */
const known = async (
  on: ReturnType<WatchedPlatforms['find']>,
  key: string,
  asked: Promise<string | undefined> | undefined,
): Promise<string | undefined> => {
  const last = on?.lastNames?.get(key);
  const answer = asked?.catch(() => undefined);
  const name = answer && (await within(NAMED_MS, answer, undefined));
  if (name !== undefined) on?.lastNames?.set(key, name);
  return name ?? last;
};

/** The name of the channel that a text mentions. */
const channelIn = (text: RichText): string | undefined => {
  const names: string[] = [];
  visit(text, (node) => {
    if (node.kind === 'mention' && node.name !== undefined) names.push(`#${node.name}`);
  });
  return names[0];
};

/** The name of a server or workspace as it is known, or was. */
export const spaceName = async (
  space: Space,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string | undefined> => {
  const on = platforms.find({ space });
  return known(on, keyOf(space), on?.feed.spaceName?.(space));
};

/** The name of a server or workspace for people elsewhere, with its platform; the platform alone where it was never known. */
export const spaceElsewhere = async (
  space: Space,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const name = await spaceName(space, platforms);
  const platform = titleOf(space.platform);
  return name === undefined ? platform : `${quotedWords(name)} (${platform})`;
};

/** The name of a person for people elsewhere, among whom somebody may have the same one: with the server or workspace. */
export const personElsewhere = async (
  name: string,
  space: Space,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => `${quotedWords(name)} · ${await spaceElsewhere(space, platforms)}`;

/**
 * The name of a channel for people elsewhere: as its own readers know it, with its server or workspace and its platform;
 * what was never known is left out.
 */
export const nameElsewhere = async (
  { space, ...rest }: Channel,
  platforms: Pick<WatchedPlatforms, 'find'>,
): Promise<string> => {
  const channel = { ...rest, space };
  const on = platforms.find(channel);
  const naming = on?.feed.named(channel, sentence(channelMention(channel))).then(channelIn);
  const [named, around] = await Promise.all([
    known(on, `${keyOf(space)}/${channel.id}`, naming),
    spaceName(space, platforms),
  ]);
  const parts = [named, around].filter((name) => name !== undefined);
  const platform = titleOf(space.platform);
  if (parts.length === 0) return platform;
  return `${parts.map((name) => quotedWords(name)).join(' · ')} (${platform})`;
};
