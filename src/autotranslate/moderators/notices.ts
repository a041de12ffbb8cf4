import { DAY_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import { reasonSentence, type AppError, type MessageKey, type Sentence } from '../../errors.ts';
import { say } from '../../i18n/texts.ts';
import type { GlossaryProposal } from '../../model/glossary.ts';
import type { Control } from '../../model/message.ts';
import {
  channelKey,
  channelMention,
  keyOf,
  memberMention,
  type Channel,
  type Space,
} from '../../model/place.ts';
import { series } from '../../rich-text/compose.ts';
import { code } from '../../rich-text/rich-text.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { Outcome, RowKey } from '../../store/inbox/row.ts';
import { typedCode } from '../../text/quoted-words.ts';
import { TERM_CHARS } from '../../translation/glossary-rows.ts';
import { resetAfter } from '../../usage/limits.ts';
import { agreeControls } from '../links/agree-controls.ts';
import { spaceElsewhere } from '../links/names.ts';
import {
  createModeratorsChannel,
  FLOOD_MS,
  type ModeratorsChannelDeps,
  type NoticeLine,
} from './channel.ts';

/** Spaces of which something is kept in memory. */
const MOST_SPACES = 1_000;
const ONCE_A_DAY = { perSecond: 1_000 / DAY_MS, burst: 1 };

export interface ModeratorNoticesDeps extends ModeratorsChannelDeps {
  /** Wall time, ms since 1970. */
  readonly now: () => number;
}

const onChannel =
  (channel: Channel, sentence: Sentence): NoticeLine =>
  (t) => ({ text: series([channelMention(channel), say(t, sentence)], ' ') });

export type ModeratorNotices = ReturnType<typeof createModeratorNotices>;

/**
 * Creates what tells the channel that a space's moderators chose of events: one line each, seldom, in their language,
 * without text of messages. One of all processes says it. The calls return at once and never fail.
 */
export const createModeratorNotices = (deps: ModeratorNoticesDeps) => {
  const { platforms, now } = deps;
  const { tell, tellPause, ...moderators } = createModeratorsChannel(deps);
  const paused = createLru<string, true>(MOST_SPACES);
  /** Spaces whose recordings wait. */
  const deaf = createLru<string, true>(MOST_SPACES);
  const floodedMs = createLru<string, number>(MOST_SPACES);
  const limitedDay = createLru<string, number>(MOST_SPACES);
  const lostDay = createLru<string, number>(MOST_SPACES);

  return {
    ...moderators,
    forgetSpace: (space: Space): void => {
      moderators.forgetSpace(space);
      for (const known of [paused, deaf, floodedMs, limitedDay]) known.delete(keyOf(space));
    },
    /** Takes how a message ended. */
    settled: ({ ref }: RowKey, outcome: Outcome): void => {
      const { space } = ref.channel;
      if (outcome.state !== 'skipped' || outcome.reason !== 'daily-limit') return;
      const day = Math.floor(now() / DAY_MS);
      if (limitedDay.get(keyOf(space)) === day) return;
      limitedDay.set(keyOf(space), day);
      const reset = resetAfter(now());
      void tell(space, 'limit', (t) => ({ text: t('moderators.limit', { reset }) }));
    },
    /** Takes the reason for which messages of a space wait. */
    paused: (space: Space, error: AppError): void => {
      if (paused.get(keyOf(space))) return;
      paused.set(keyOf(space), true);
      void tell(space, 'paused', (t) => ({
        text: t('autotranslate.paused', { reason: say(t, reasonSentence(error)) }),
      }));
    },
    resumed: (space: Space): void => {
      if (!paused.get(keyOf(space))) return;
      paused.delete(keyOf(space));
      void tell(space, 'resumed', (t) => ({ text: t('moderators.resumed') }));
    },
    /** Takes the reason for which recordings of a space wait. */
    recordingsPaused: (space: Space, error: AppError): void => {
      if (deaf.get(keyOf(space))) return;
      deaf.set(keyOf(space), true);
      void tell(space, 'recordings-paused', (t) => ({
        text: t('moderators.recordings-paused', { reason: say(t, reasonSentence(error)) }),
      }));
    },
    recordingsResumed: (space: Space): void => {
      if (!deaf.get(keyOf(space))) return;
      deaf.delete(keyOf(space));
      void tell(space, 'recordings-resumed', (t) => ({ text: t('moderators.recordings-resumed') }));
    },
    /** Takes an entry that a member proposes for the glossary, which the moderators decide on by pressing. */
    proposed: (space: Space, { id, authorId, term }: GlossaryProposal): void =>
      void tell(space, 'proposals', (t) => {
        const control = (press: string, key: MessageKey, look?: 'primary'): Control => ({
          kind: 'button',
          press: `glossary ${press}:${id}`,
          label: plainText(t(key)),
          ...(look ? { look } : {}),
        });
        return {
          text: t('moderators.proposed', {
            name: memberMention(space, authorId),
            term: typedCode(term.term, TERM_CHARS),
            translation: typedCode(term.translation ?? '', TERM_CHARS),
            language: { language: term.language ?? '' },
          }),
          controls: [
            control('take', 'glossary.accept', 'primary'),
            control('drop', 'glossary.refuse'),
          ],
        };
      }),
    /** Takes a sentence on messages of a channel that could not be read, or on what somebody did to its links. */
    told: (channel: Channel, sentence: Sentence, kind: 'gaps' | 'links'): void =>
      void tell(channel.space, kind, onChannel(channel, sentence)),
    /**
     * Takes the beginning of a pause of a linked channel, or its end.
     *
     * @param channel the one that is told
     */
    pauseTold: (channel: Channel, sentence: Sentence, of: Channel, isBeginning: boolean): void =>
      tellPause(channel, of, isBeginning, onChannel(channel, sentence)),
    /**
     * Takes the new name of a space that is linked with another one.
     *
     * @param like the name of a further one that looks the same; undefined for none
     */
    renamed: (
      space: Space,
      names: { readonly former: string; readonly name: string },
      like: string | undefined,
    ): void =>
      void tell(space, 'links', (t) => ({
        text: series(
          [
            t('moderators.renamed', names),
            like !== undefined && t('links.lookalike', { other: like }),
          ],
          ' ',
        ),
      })),
    /**
     * Takes a space that would be linked with another one, which links with approved ones alone: each is told of once a day
     * at most, and few of all.
     *
     * @param looking resolves as `renamed` takes it
     */
    unapproved: (space: Space, from: Space, looking: Promise<string | undefined>): void =>
      void Promise.all([spaceElsewhere(from, platforms), looking.catch(() => undefined)]).then(
        async ([server, like]) => {
          const name = `${keyOf(space)} unapproved ${keyOf(from)}`;
          const isFirst = await deps.quota.tryTake(name, ONCE_A_DAY).catch(() => false);
          return (
            isFirst &&
            tell(space, 'unapproved', (t) => ({
              text: series(
                [
                  t('moderators.unapproved', { server, id: code(from.id) }),
                  like !== undefined && t('links.lookalike', { other: like }),
                ],
                ' ',
              ),
              controls: [
                {
                  kind: 'button',
                  press: `settings approve:${from.id}`,
                  label: plainText(t('moderators.approve', { server })),
                },
              ],
            }))
          );
        },
      ),
    /**
     * Takes a channel into which another space brought more messages than are copied.
     *
     * @param most those of a minute that are
     */
    flooded: ({ space, ...channel }: Channel, from: Space, most: number): void => {
      const sinceMs = now() - (floodedMs.get(keyOf(space)) ?? -Infinity);
      if (sinceMs < FLOOD_MS) return;
      floodedMs.set(keyOf(space), now());
      void spaceElsewhere(from, platforms).then((server) =>
        tell(space, 'floods', (t) => ({
          text: t('moderators.flood', {
            channel: channelMention({ ...channel, space }),
            server,
            most,
          }),
        })),
      );
    },
    /** Takes a channel that the bot may not post in any more: each is told of once a day at most. */
    lost: (channel: Channel): void => {
      const day = Math.floor(now() / DAY_MS);
      if (lostDay.get(channelKey(channel)) === day) return;
      lostDay.set(channelKey(channel), day);
      void tell(channel.space, 'lost', (t) => ({
        text: t('moderators.lost', { channel: channelMention(channel) }),
      }));
    },
    /**
     * Takes the channels, by their names, with which a channel was linked, or is not any more, or which came into its group.
     *
     * @param came the one that moderators can let in
     */
    linked: (
      channel: Channel,
      what: 'linked' | 'unlinked' | 'unagreed',
      names: readonly string[],
      came?: Channel,
    ): void =>
      void tell(channel.space, 'links', (t) => ({
        text: t(`moderators.${what}`, {
          channel: channelMention(channel),
          channels: { list: names },
          count: names.length,
        }),
        ...(came && { controls: agreeControls(channel, came, t) }),
      })),
  };
};
