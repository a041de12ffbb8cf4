import { joinMark, listOf, MOST_LANGUAGES } from '../../src/command/helpers.ts';
import { toAppError, userError, type MessageKey } from '../../src/errors.ts';
import { channelMention, isSameChannel, type Channel } from '../../src/model/place.ts';
import type { ChannelWatch, Changer } from '../../src/model/space.ts';
import { lines, sections } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import {
  demandLinked,
  linkWarning,
  namesOf,
  obstacleLines,
  standingLines,
  markNow,
  watchOf,
  type Context,
} from './context.ts';

/** Throws where two channels are linked already: with each other, or each in a group that one would be taken out of. */
export const demandOneGroup = (channel: Channel, other: Channel, ctx: Context): void => {
  const all = ctx.services.watches.list(channel.space);
  const [own, there] = [channel, other].map((one) =>
    all.find((watch) => isSameChannel(watch.channel, one)),
  );
  if (own?.group === undefined || there?.group === undefined || isSameChannel(channel, other))
    return;
  throw own.group === there.group
    ? userError('bad-input', 'autotranslate.joined', {
        channel: channelMention(channel),
        other: channelMention(other),
        language: listOf(namesOf(own.languages, ctx), ctx.locale),
      })
    : userError('bad-input', 'autotranslate.join-grouped', { channel: channelMention(channel) });
};

/** Throws `forbidden` where the person may not decide about a channel, or about those that it is linked with. */
export const demandChange = async (channels: readonly Channel[], ctx: Context): Promise<void> => {
  await ctx.access.demand(channels, 'write');
  await demandLinked(channels, ctx);
};

/** The channels of this space that are linked with one, itself included; none where it is linked with none. */
export const groupHere = (channel: Channel, { services }: Context): readonly ChannelWatch[] => {
  const all = services.watches.list(channel.space);
  const group = all.find((watch) => isSameChannel(watch.channel, channel))?.group;
  return all.filter((watch) => group !== undefined && watch.group === group);
};

const notOn = (channel: Channel) =>
  userError('not-found', 'autotranslate.not-on', { channel: channelMention(channel) });

export const onRequest = (channel: Channel) =>
  userError('bad-input', 'autotranslate.add-on-request', { channel: channelMention(channel) });

/** The error for a channel that is not linked, and of which no language is named: it names those that can be removed. */
export const removable = (channel: Channel, ctx: Context) => {
  const watch = ctx.services.watches.of(channel);
  if (!watch) return notOn(channel);
  if (watch.mode === 'request') return onRequest(channel);
  return userError('bad-input', 'autotranslate.remove-language', {
    channel: channelMention(channel),
    languages: { list: namesOf(watch.languages, ctx) },
  });
};

/**
 * Changes how a channel is translated, all else of it staying as it is; resolves with what it is now.
 * Throws `not-found` where auto-translate is off there.
 *
 * @param off what is said there
 */
export const change = async (
  channel: Channel,
  how: (watch: ChannelWatch) => ChannelWatch,
  by: Changer | undefined,
  ctx: Context,
  off: MessageKey = 'autotranslate.not-on',
): Promise<ChannelWatch> => {
  await demandChange([channel], ctx);
  const changed = await ctx.services.watches.change(channel, how, by);
  if (!changed) throw userError('not-found', off, { channel: channelMention(channel) });
  return changed;
};

/** Adds a language to those that a channel is translated into. */
export const addLanguage = async (
  channel: Channel,
  language: string,
  by: Changer,
  ctx: Context,
): Promise<ChannelWatch> =>
  change(
    channel,
    (watch) => {
      if (watch.mode === 'mirror')
        throw userError('bad-input', 'autotranslate.add-with', {
          channel: channelMention(channel),
        });
      if (watch.mode === 'request') throw onRequest(channel);
      if (watch.languages.includes(language))
        throw userError('bad-input', 'autotranslate.already-into', {
          channel: channelMention(channel),
          language: ctx.services.languages.name(language, ctx.locale),
        });
      const languages = [...watch.languages, language];
      if (languages.length > MOST_LANGUAGES)
        throw userError('bad-input', 'autotranslate.how-many-languages', { most: MOST_LANGUAGES });
      return { ...watch, languages };
    },
    by,
    ctx,
    'autotranslate.add-off',
  );

/** Says into what the messages of a channel are translated now, and what keeps them from that. */
export const intoLines = async (watch: ChannelWatch, ctx: Context): Promise<RichText> =>
  lines(
    ctx.t('autotranslate.now-into', {
      channel: channelMention(watch.channel),
      languages: { list: namesOf(watch.languages, ctx) },
    }),
    ...(await obstacleLines([watch], ctx)),
    ...(await standingLines([watch.channel], ctx)),
  );

/** A question that is put before a channel is added to a group. */
interface JoinQuestion {
  readonly text: RichText;
  /** The `joinMark` of what it says, for a control. */
  readonly seen: string;
}

/**
 * Says by which channels of other spaces a channel would be seen that is added to the group of another one; `text` is
 * undefined where there are none but those that were said. Rejects where the person may not decide about it.
 */
const seenElsewhere = async (
  channel: Channel,
  other: Channel,
  ctx: Context,
  said: string,
): Promise<Pick<JoinQuestion, 'seen'> & Partial<JoinQuestion>> => {
  await demandChange([channel, other], ctx);
  demandOneGroup(channel, other, ctx);
  const [there] = groupHere(other, ctx);
  const members = there ? await ctx.services.watches.members(there) : [];
  const keys = members.map(({ key }) => key);
  const seen = joinMark(watchOf(ctx, channel), keys);
  if (members.length === 0 || seen === said) return { seen };
  const text = sections(
    said !== '' &&
      !said.endsWith(markNow(channel, ctx)) &&
      ctx.t('autotranslate.panel-changed', { channel: channelMention(channel) }),
    ctx.t('autotranslate.join-seen', {
      channel: channelMention(channel),
      channels: listOf(
        members.map(({ name }) => name),
        ctx.locale,
        'long',
      ),
    }),
    linkWarning(channel, ctx),
  );
  return { text, seen };
};

/**
 * Adds a channel, in its language, to the group of another one; resolves with the channels of the group, or with what the
 * person is asked first where channels elsewhere are in it.
 *
 * @param said the `seen` of the question that the person answered; empty for none
 */
export const join = async (
  watch: ChannelWatch,
  other: Channel,
  {
    by,
    mayMixAges,
    said,
  }: { readonly by: Changer; readonly mayMixAges: boolean; readonly said: string },
  ctx: Context,
): Promise<JoinQuestion | readonly ChannelWatch[]> => {
  const { text, seen } = await seenElsewhere(watch.channel, other, ctx, said);
  if (text) return { text, seen };
  try {
    return await ctx.services.watches.join(watch, other, { by, mayMixAges, seen });
  } catch (thrown) {
    if (toAppError(thrown).sentence.key !== 'autotranslate.panel-changed') throw thrown;
    const now = await seenElsewhere(watch.channel, other, ctx, seen);
    if (!now.text) throw thrown;
    return { text: now.text, seen: now.seen };
  }
};
