import type { Tell } from '../tell.ts';
import { HOUR_MS, MINUTE_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { noticeLanguage } from '../rules.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Message } from '../../model/message.ts';
import { type MessageRef, messageKey, type Space, keyOf } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { WATCH, watchPartition } from '../../store/inbox/row.ts';

/** Answers of bots to translations of bots, beyond the messages of people, at which they are skipped. */
const ROUNDS = 3;
/** The longest time between a translation and the answer of a bot to it. */
const ANSWER_MS = 10_000;
/** Time in which answers and messages of people are counted. */
const COUNTED_MS = MINUTE_MS;
/** Time for which answers are skipped after the latest one, and for which a channel is told once. */
const LASTS_MS = HOUR_MS;
/** Latest messages of bots in a conversation whose translations may be answered. */
const LATEST = 8;
const CONVERSATIONS = 1_000;

interface BotMessage {
  readonly ref: MessageRef;
  readonly atMs: number;
  readonly isSkipped: boolean;
}

interface Conversation {
  /** Latest messages of bots, the oldest first. */
  readonly bots: readonly BotMessage[];
  /** Times of messages of people, and of answers of bots to translations of bots. */
  readonly people: readonly number[];
  readonly answers: readonly number[];
  /** Answers are skipped until then. */
  readonly skipsUntilMs: number;
  /** Time of the first answer that was skipped, until a person writes. */
  readonly skippedMs?: number;
  /** Time of the skipped answer after which the channel was told. */
  readonly toldMs: number;
}

const NOTHING: Conversation = {
  bots: [],
  people: [],
  answers: [],
  skipsUntilMs: 0,
  toldMs: -Infinity,
};

export type BotLoops = ReturnType<typeof createBotLoops>;

export interface BotLoopsDeps {
  readonly stored: Pick<MirrorStore, 'postedAtMs'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly tell: Tell;
}

/**
 * Creates the guard against loops with other bots in channels that translate bots. A bot that answers each
 * translation would be translated and answer again, for ever. After three such rounds within a minute, more than
 * people wrote, its answers are skipped, and the channel is told once. A bot that goes on within a minute although
 * nothing was posted answers nobody, and is translated on.
 */
export const createBotLoops = ({ stored, texts, spaces, tell }: BotLoopsDeps) => {
  const conversations = createLru<string, Conversation>(CONVERSATIONS);

  /** True when a translation of a bot's message came into a message's channel shortly before it. */
  const isAnswer = async (
    { ref }: Message,
    atMs: number,
    bots: readonly BotMessage[],
  ): Promise<boolean> => {
    const translated = bots.filter((one) => !one.isSkipped && one.atMs < atMs);
    const posted = await Promise.all(
      translated.map((one) => stored.postedAtMs({ ref: one.ref, purpose: WATCH }, ref.channel)),
    );
    return posted.some((at = Infinity) => at <= atMs && at > atMs - ANSWER_MS);
  };

  return {
    /**
     * Notes a message of a watched channel, which came at a time in ms since 1970. Resolves with true when it is to
     * be skipped, as the answer of a bot in a loop.
     */
    isLoop: async (message: Message, watch: ChannelWatch, atMs: number): Promise<boolean> => {
      const key = watchPartition(watch);
      const noted = (): Conversation => conversations.get(key) ?? NOTHING;
      const recent = (times: readonly number[]): number[] =>
        times.filter((time) => time > atMs - COUNTED_MS);
      if (message.author.kind !== 'bot') {
        const { skippedMs: _, ...before } = noted();
        // Channels without bots need no memory.
        if (watch.bots)
          conversations.set(key, { ...before, people: [...recent(before.people), atMs] });
        return false;
      }
      const own = messageKey(message.ref);
      const known = noted().bots.find(({ ref }) => messageKey(ref) === own);
      if (known) return known.isSkipped;
      const isToTranslation = await isAnswer(message, atMs, noted().bots);
      const now = noted();
      // A bot that answers everything answers what the channel is told, too.
      const answers = isToTranslation || atMs < now.toldMs + 2 * ANSWER_MS;
      const counted = answers ? [...recent(now.answers), atMs] : recent(now.answers);
      const people = recent(now.people);
      const isOver = counted.length - people.length > ROUNDS || atMs < now.skipsUntilMs;
      const isSkipped = answers && isOver;
      const isFeed = !answers && now.skippedMs !== undefined && atMs - now.skippedMs < COUNTED_MS;
      const isTold = isSkipped && atMs > now.toldMs + LASTS_MS;
      const skippedMs = isSkipped ? (now.skippedMs ?? atMs) : undefined;
      conversations.set(key, {
        bots: [...now.bots, { ref: message.ref, atMs, isSkipped }].slice(-LATEST),
        people,
        answers: isFeed ? [] : counted,
        skipsUntilMs: isFeed ? 0 : isSkipped ? atMs + LASTS_MS : now.skipsUntilMs,
        ...(skippedMs === undefined ? {} : { skippedMs }),
        toldMs: isTold ? atMs : now.toldMs,
      });
      if (isTold) {
        const language = noticeLanguage(watch, await spaces.of(watch.channel.space));
        void tell(watch.channel, texts.rich(language)('autotranslate.bot-loop'));
      }
      return isSkipped;
    },
    forgetSpace: (space: Space): void => {
      for (const [key, { bots }] of conversations)
        if (bots.some(({ ref }) => keyOf(ref.channel.space) === keyOf(space)))
          conversations.delete(key);
    },
  };
};
