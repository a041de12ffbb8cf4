import { request } from 'undici';
import type { Api } from '../api.ts';
import { ANSWERING } from '../rate-limiter.ts';
import { openDirectChannel } from '../people.ts';
import { isGone, isRefusal } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import {
  MESSAGE_BLOCKS,
  RESPONSE_URL_MS,
  RESPONSE_URL_USES,
  UPDATE_EVERY_MS,
  FILES_BYTES,
} from '../limits.ts';
import type { Mentions, NamedContent } from '../mentions.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { filesOf, render, type Part } from '../outbound/render.ts';
import type { UploadedFile, Uploads } from '../outbound/uploads.ts';
import { createSemaphore } from '../../../src/async/locks.ts';
import { AppError, recover, toAppError } from '../../../src/errors.ts';
import { isAtKnownHost, knownHosts } from '../../../src/http/attached-file.ts';
import type { Texts } from '../../../src/i18n/texts.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Block } from '../../../src/rich-text/rich-text.ts';
import type { Content } from '../../../src/model/message.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Answer } from '../../../src/ports/platform.ts';

export interface AnswerPlace {
  readonly channel: Channel;
  readonly userId: string;
  /** The thread in which the answer stands. */
  readonly threadTs?: string | undefined;
  /** Undefined where Slack gave none, as for modals and App Home. */
  readonly responseUrl: string | undefined;
  /** True when only the asker sees it. */
  readonly isPrivate: boolean;
  /** The asker's; where it is given, they are told of files that come as a direct message. */
  readonly locale?: string;
  /** The line above what everybody sees: who asked for what, which Slack shows to nobody. */
  readonly asked?: Block;
  /** The message with the control that was pressed: the answer takes its place. */
  readonly onMessage?: { readonly ts: string; readonly isEphemeral: boolean } | undefined;
}

export interface AnswerDeps {
  readonly api: Api;
  readonly mentions: Pick<Mentions, 'on'>;
  readonly writer: MessageWriter;
  readonly uploads: Uploads;
  readonly texts: Pick<Texts, 'rich'>;
  readonly log: Log;
  /** Every wait is so many times shorter. */
  readonly speed: number;
  readonly now: () => number;
}

/** Errors of posting where the app is not in the channel. */
const NOT_THERE = ['not_in_channel', 'channel_not_found', 'restricted_action', 'is_archived'];
const RESPONSE_MS = 10_000;

/** Hosts at which Slack takes answers ("Handling user interaction", "response_url"). */
const RESPONSE_HOSTS: ReadonlySet<string> = new Set(['hooks.slack.com']);

/** All parts in one message, as far as their blocks fit. */
const joined = (parts: readonly Part[]): Part => ({
  text: parts[0]?.text ?? '',
  blocks: parts.flatMap(({ blocks }) => blocks).slice(0, MESSAGE_BLOCKS),
  files: filesOf(parts),
});

/** The messages of an answer, with its uploaded files. */
interface Staged {
  readonly parts: readonly Part[];
  readonly staged: readonly UploadedFile[];
}

const isForAsker = ({ tone = 'plain' }: Content): boolean => tone !== 'plain';

/**
 * Creates the answer to one use of a command or control. What everybody sees is a message of the app;
 * what only the asker sees goes through the address that Slack gave, within its five uses.
 */
export const createAnswer = (
  deps: AnswerDeps & { readonly apiUrl: string | undefined },
  place: AnswerPlace,
): Answer => {
  const { api, mentions, writer, uploads, texts, log, speed, now, apiUrl } = deps;
  const { channel, userId, threadTs, responseUrl, isPrivate, onMessage, asked, locale } = place;
  const hosts = knownHosts(RESPONSE_HOSTS, apiUrl);
  const untilMs = now() + RESPONSE_URL_MS;
  let uses = 0;
  /** The messages that everybody sees. */
  let shown: readonly string[] = onMessage && !onMessage.isEphemeral ? [onMessage.ts] : [];
  /** The messages that show its files. */
  let files: readonly string[] = [];
  let isReplacing = onMessage?.isEphemeral ?? false;
  const drawing = createSemaphore(1);
  const bodyOf = ({ text, blocks }: Part) => ({
    text,
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
  });

  /** Sends a message through the address; false where it takes none any more. */
  const respond = async (part: Part, isOpen: boolean, replaces = isReplacing): Promise<boolean> => {
    if (responseUrl === undefined || !isAtKnownHost(responseUrl, hosts)) return false;
    if (uses >= RESPONSE_URL_USES || now() > untilMs) return false;
    uses += 1;
    const { statusCode, body } = await request(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      headersTimeout: RESPONSE_MS,
      body: JSON.stringify({
        response_type: isOpen ? 'in_channel' : 'ephemeral',
        replace_original: replaces,
        ...bodyOf(part),
      }),
    });
    await body.dump();
    isReplacing = true;
    return statusCode === 200;
  };

  /** Files cannot stand in what one person alone sees: they come as a direct message. */
  const sendFiles = async (staged: readonly UploadedFile[], isOpen: boolean): Promise<void> => {
    if (staged.length === 0) return;
    const { space } = channel;
    const post = async (channelId: string, thread?: string): Promise<unknown> =>
      uploads.share(space, staged, { channelId, threadTs: thread, priority: ANSWERING });
    try {
      if (!isOpen) throw new AppError('forbidden', 'a private answer');
      await post(channelIdOf(channel), threadTs);
    } catch (thrown) {
      if (isOpen && !isRefusal(thrown, ...NOT_THERE)) throw thrown;
      await post((await openDirectChannel(api, space, userId)).id);
    }
  };

  const showPrivately = async ({ parts, staged }: Staged, replaces?: false): Promise<void> => {
    const text = locale !== undefined && staged.length > 0 && texts.rich(locale)('slack.file-sent');
    // Above the answer, which may be long.
    const above = text ? render(await mentions.on(channel.space, { text })) : [];
    const part = joined([...above, ...parts]);
    const isTaken = await respond(part, false, replaces);
    const args = { channel: channelIdOf(channel), user: userId, ...bodyOf(part) };
    if (!isTaken) await api.call(channel.space, 'chat.postEphemeral', args, { once: true });
    await sendFiles(staged, false);
  };

  const showOpenly = async ({ parts, staged }: Staged): Promise<void> => {
    const where = { threadTs, priority: ANSWERING };
    try {
      shown = await writer.sync(channel, shown, parts, where);
      files = await writer.showFiles(channel, files, staged, where);
    } catch (thrown) {
      if (shown.length > 0 || !isRefusal(thrown, ...NOT_THERE)) throw thrown;
      const part = joined(parts);
      if (!(await respond(part, true))) throw thrown;
      await sendFiles(staged, true);
    }
  };

  /** Uploads the files of an answer first, so that none of it stands where they are refused. */
  const stage = async (content: NamedContent): Promise<Staged> => {
    const parts = render(content);
    const staging = uploads.stage(channel.space, filesOf(parts), ANSWERING);
    const isText = !content.files?.length;
    const staged = await recover(staging, (thrown) => isText && !toAppError(thrown).retryable);
    return staged ? { parts, staged } : { parts: render(content, false), staged: [] };
  };

  // Nobody else reads a direct conversation, and what stands there stays.
  const isDirect = channel.id.startsWith('D') && responseUrl === undefined;

  const isHidden = (isPrivate && !isDirect) || onMessage?.isEphemeral === true;

  const draw = async (content: NamedContent): Promise<void> => {
    const isAside = isForAsker(content) && shown.length === 0 && !isDirect;
    if (isHidden || isAside) return showPrivately(await stage(content));
    const text = asked ? [asked, ...content.text] : content.text;
    return showOpenly(await stage({ ...content, text }));
  };

  const drawBelow = async (content: NamedContent): Promise<void> => {
    if (isHidden) return showPrivately(await stage(content), false);
    const where = { threadTs, priority: ANSWERING };
    await writer.sync(channel, [], (await stage(content)).parts, where);
  };

  const inTurn = async (
    content: Content,
    work: (named: NamedContent) => Promise<void>,
  ): Promise<void> => {
    try {
      await drawing.use(async () => work(await mentions.on(channel.space, content)));
    } catch (thrown) {
      if (isGone(thrown)) log.info('Slack: what was answered is gone');
      throw thrown;
    }
  };

  return {
    paceMs: UPDATE_EVERY_MS / speed,
    ...(isPrivate
      ? { updates: responseUrl === undefined && !onMessage && !isDirect ? 1 : RESPONSE_URL_USES }
      : {}),
    fileBytes: FILES_BYTES,
    show: async (content) => inTurn(content, draw),
    showBelow: async (content) => inTurn(content, drawBelow),
    ...(onMessage && !isHidden
      ? {
          showAside: async (content) =>
            inTurn(content, async (named) => showPrivately(await stage(named), false)),
        }
      : {}),
  };
};
