import { channelMention, type Channel } from '../../src/model/place.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import type { LinkMember } from '../../src/model/watches.ts';
import { series } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Context } from './context.ts';

/** An own channel with those of other spaces that it is linked with. */
interface Linked {
  readonly channel: Channel;
  readonly members: readonly LinkMember[];
}

/** Names the channels of other spaces that a group here is linked with, and says where they are muted or paused. */
export const memberLines = (
  here: readonly Linked[],
  { t }: Pick<Context, 't'>,
): readonly RichText[] =>
  (here[0]?.members ?? []).map(({ key, name, held, isPaused, isLost, unagreed }) => {
    const own = (is: 'isMuted' | 'holds') =>
      here
        .filter(({ members }) => members.some((each) => each.key === key && each[is]))
        .map(({ channel }) => ({ channel: channelMention(channel) }));
    return series([
      name,
      unagreed !== undefined && t(`members.unagreed-${unagreed}`),
      ...own('isMuted').map((named) => t('members.muted', named)),
      held !== undefined && t('members.held'),
      isPaused && t('members.paused'),
      isLost && t('members.lost'),
      ...own('holds').map((named) => t('members.holds', named)),
    ]);
  });

/** Says as `memberLines` does what the channels of a group are linked with elsewhere. */
export const elsewhereLines = async (
  here: readonly ChannelWatch[],
  { services, t }: Pick<Context, 'services' | 't'>,
): Promise<readonly RichText[]> => {
  const all = here.map(async (watch) => ({
    channel: watch.channel,
    members: await services.watches.members(watch),
  }));
  return memberLines(await Promise.all(all), { t });
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
