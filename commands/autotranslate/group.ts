import { channelMention } from '../../src/model/place.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { series } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Context } from './context.ts';

/** Names the channels of other spaces that are linked with those of a group here, and where they are muted. */
export const elsewhereLines = async (
  here: readonly ChannelWatch[],
  { services, t }: Context,
): Promise<readonly RichText[]> => {
  const lists = await Promise.all(here.map((watch) => services.watches.members(watch)));
  const mutedIn = (key: string): ChannelWatch[] =>
    here.filter((_, at) => lists[at]?.some((each) => each.key === key && each.isMuted));
  return (lists[0] ?? []).map(({ key, name }) =>
    series([
      name,
      ...mutedIn(key).map(({ channel }) =>
        t('members.muted', { channel: channelMention(channel) }),
      ),
    ]),
  );
};

/**
 * Counts the channels of a group.
 *
 * @param elsewhere those of other spaces
 */
export const groupHeading = (
  here: readonly unknown[],
  { length: elsewhere }: readonly unknown[],
  { t }: Pick<Context, 't'>,
): RichText => t('autotranslate.group', { count: here.length + elsewhere, elsewhere });
