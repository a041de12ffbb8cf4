import { randomUUID } from 'node:crypto';
import { channelOf, PLATFORM } from '../ids.ts';
import { ANSWERING } from '../rate-limiter.ts';
import { readHistory } from '../history.ts';
import { isWritten, type RawSlackMessage } from '../inbound/raw-message.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import type { People } from '../people.ts';
import type { AnswerPlace } from './answer.ts';
import { readMember } from './invocations.ts';
import { awaitedIn } from './open-answers.ts';
import { createStreamedAnswer, type StreamedAnswerDeps } from './streamed-answer.ts';
import type { Core } from '../../../src/adapter.ts';
import { createLru } from '../../../src/async/lru.ts';
import { claimsAudio } from '../../../src/autotranslate/policy.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { Answer, ConversationTurn } from '../../../src/ports/platform.ts';
import type { OpenAnswers } from '../../../src/ports/store.ts';
import { onlyRow } from '../../../src/rich-text/compose.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { plainInline } from '../../../src/rich-text/walk.ts';
import { renderMarkdown } from '../../../src/rich-text/markdown/render.ts';
import { parseMessage } from '../rich-text/parse-message.ts';

export interface AgentDeps extends StreamedAnswerDeps {
  readonly core: Core;
  readonly people: Pick<People, 'of'>;
  readonly reader: MessageReader;
  readonly openAnswers: Pick<OpenAnswers, 'begin'>;
  readonly answerAt: (place: AnswerPlace) => Answer;
}

/** Messages that were answered already: Slack may deliver one several times. */
const KNOWN_THREADS = 5_000;
/** Turns of a thread that are given to the language model, and characters of each. */
const TURNS = 20;
const TURN_CHARS = 4_000;
/** Longest wait for the turns before: the answer is not held up by them. */
const EARLIER_MS = 5_000;
const ASK = 'ask';
const TRANSCRIBE = 'transcribe';
const HELP = 'help';

/** True for a message that only calls the app, or asks what it can do; with `called`, where it mentions that one and no others. */
const asksForHelp = (text: RichText, words: readonly string[], called?: string): boolean => {
  const all = onlyRow(text) ?? [];
  const mentioned = all.filter((node) => node.kind === 'mention');
  if (called !== undefined && !mentioned.every(({ id }) => id === called)) return false;
  const row = onlyRow(text)?.filter(({ kind }) => kind !== 'mention');
  const typed = row && plainInline(row).trim().toLowerCase();
  return typed !== undefined && (typed === '' || typed === '?' || words.includes(typed));
};

/** Creates the conversation with the app itself: it answers each message in the thread under it. */
export const createAgent = (deps: AgentDeps, stopped: AbortSignal) => {
  const { api, core, people, reader } = deps;
  const { log } = core;
  const answered = createLru<string, true>(KNOWN_THREADS);

  /**
   * The turns of the thread before a message; none where they can't all be read, as its beginning alone
   * would pass for what was said last.
   */
  const earlierTurns = async (
    space: Space,
    { ts, thread_ts: threadTs }: RawSlackMessage,
    channelId: string,
  ): Promise<readonly ConversationTurn[]> => {
    if (threadTs === undefined || threadTs === ts) return [];
    const turns: ConversationTurn[] = [];
    try {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(EARLIER_MS)]);
      const channel = channelOf(space.id, channelId);
      for await (const raw of readHistory(api, channel, {
        threadTs,
        priority: ANSWERING,
        signal,
      })) {
        if (Number(raw.ts) >= Number(ts)) break;
        const content = renderMarkdown(parseMessage(raw)).slice(0, TURN_CHARS);
        const role = raw.bot_id === undefined ? 'user' : 'assistant';
        if (content !== '') turns.push({ role, content });
      }
    } catch (thrown) {
      log.info(faultFields(thrown), 'Slack: an earlier conversation could not be read');
      return [];
    }
    return turns.slice(-TURNS);
  };

  const answer = async (space: Space, raw: RawSlackMessage, channelId: string): Promise<void> => {
    const userId = raw.user ?? '';
    const channel = channelOf(space.id, channelId);
    const member = await readMember(people, space, userId);
    const message = await reader.read(raw, space, channelId);
    const isSpoken = message.files.some(claimsAudio);
    const threadTs = raw.thread_ts ?? raw.ts;
    const streamed = createStreamedAnswer(deps, { channel, threadTs, userId });
    const commands = core.commands(member.locale, PLATFORM);
    const common = { id: randomUUID(), member, channel, signal: stopped, answer: streamed.answer };
    const help = commands.find(({ name }) => name === HELP);
    if (help && !isSpoken && asksForHelp(message.text, [HELP, help.typed ?? HELP])) {
      await core.dispatch({ ...common, command: HELP, options: {} });
      await streamed.finish();
      return;
    }
    if (!commands.some(({ name }) => name === ASK)) return;
    // Slack shows it until the answer begins; nothing is lost where it is refused.
    await api
      .call(space, 'assistant.threads.setStatus', {
        channel_id: channelId,
        thread_ts: threadTs,
        status: core.texts.in(member.locale)('slack.thinking'),
      })
      .catch(() => undefined);
    const earlier = await earlierTurns(space, raw, channelId);
    await core.dispatch(
      isSpoken
        ? { ...common, command: TRANSCRIBE, options: {}, on: message }
        : { ...common, command: ASK, earlier, options: { question: renderMarkdown(message.text) } },
    );
    await streamed.finish();
  };

  /** Answers a message in a channel that asks for help, for its author alone. */
  const helpIn = async (channel: Channel, raw: RawSlackMessage, called: string): Promise<void> => {
    const userId = raw.user ?? '';
    const member = await readMember(people, channel.space, userId);
    const help = core.commands(member.locale, PLATFORM).find(({ name }) => name === HELP);
    if (!help || !asksForHelp(parseMessage(raw), [HELP, help.typed ?? HELP], called)) return;
    const threadTs = raw.thread_ts;
    const place = { channel, userId, threadTs, responseUrl: undefined, isPrivate: true };
    const common = { id: randomUUID(), member, channel, signal: stopped };
    const shown = deps.answerAt({ ...place, locale: member.locale });
    await core.dispatch({ ...common, command: HELP, options: {}, answer: shown });
  };

  /** True the first time for a message that a person wrote. */
  const isNews = (raw: RawSlackMessage, channelId: string): boolean => {
    const key = `${channelId} ${raw.ts}`;
    const isPerson = raw.user !== undefined && raw.bot_id === undefined && raw.app_id === undefined;
    if (!isPerson || !isWritten(raw) || answered.get(key)) return false;
    answered.set(key, true);
    return true;
  };
  const failed = (thrown: unknown): void => {
    if (!stopped.aborted) log.warn(faultFields(thrown), 'Slack: a message was not answered');
  };

  return {
    /**
     * Takes a new message in a channel.
     *
     * @param botUserId the user id of the app there
     */
    written: (channel: Channel, raw: RawSlackMessage, botUserId: string): void => {
      if (raw.text?.includes(`<@${botUserId}>`) && isNews(raw, channel.id))
        helpIn(channel, raw, botUserId).catch(failed);
    },
    /** Takes what a person wrote to the app; resolves before it is answered. */
    addressed: async (space: Space, raw: RawSlackMessage, channelId: string): Promise<void> => {
      if (!isNews(raw, channelId)) return;
      const thread = raw.thread_ts ?? raw.ts;
      const channel = channelOf(space.id, channelId);
      const ended = deps.openAnswers.begin(awaitedIn(channel, thread, raw.user ?? ''));
      answer(space, raw, channelId).catch(failed).finally(ended);
    },
  };
};
