import {
  RESTJSONErrorCodes,
  MessageFlags,
  Routes,
  type APIMessage,
  type RouteLike,
} from 'discord.js';
import { createSemaphore } from '../../../src/async/locks.ts';
import { AppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Content } from '../../../src/model/message.ts';
import type { Api } from '../api.ts';
import { isGone, isRefusal } from '../errors.ts';
import {
  botMessageWriter,
  syncParts,
  bodyOf,
  ignoreGone,
  type MessageWriter,
} from '../outbound/message-writer.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import { render, type Part } from '../outbound/render.ts';
import { asTextFile } from '../../../src/rich-text/markdown/render.ts';
import { FOLLOW_UPS } from '../limits.ts';

interface InteractionKey {
  readonly applicationId: string;
  readonly token: string;
}

/** The name of the first answer, before and after it has an id. */
const ORIGINAL = '@original';

/** Creates the access to the messages of an interaction: the first answer, and the further ones. */
const createAnswerMessages = (api: Api, { applicationId, token }: InteractionKey) => {
  const ids = new Set<string>();
  let posts = 0;
  const route = (id: string): RouteLike => Routes.webhookMessage(applicationId, token, id);
  return {
    /** The ids of the further messages, in the order of their posting. */
    ids,
    /** Number of messages that may still be posted, where they are counted. */
    remaining: (): number => FOLLOW_UPS - posts,
    post: async (part: Part, isHidden: boolean): Promise<string> => {
      const { body, files } = await bodyOf(part);
      posts += 1;
      // Sent once: a follow-up has no nonce.
      const { id } = await api.sendOnce<APIMessage>('POST', Routes.webhook(applicationId, token), {
        auth: false,
        body: isHidden ? { ...body, flags: MessageFlags.Ephemeral } : body,
        files,
      });
      ids.add(id);
      return id;
    },
    /** Resolves with the message's own id. */
    edit: async (id: string, part: Part): Promise<string> => {
      const options = { auth: false, ...(await bodyOf(part)) };
      return (await api.send<APIMessage>('PATCH', route(id), options)).id;
    },
    /** A message that is gone already is no error. */
    remove: async (id: string): Promise<void> => {
      await ignoreGone(api.send('DELETE', route(id), { auth: false }));
      ids.delete(id);
    },
  };
};

/** Edits of one message more often than this run into its bucket. */
const PACE_MS = 1_000;

export interface AnswerDeps {
  readonly api: Api;
  readonly log: Log;
  /** Prepares content to be shown in a channel. */
  readonly shown: (to: Channel, content: Content) => Promise<Content>;
  readonly interaction: InteractionKey;
  readonly channel: Channel;
  /** Only the asker sees it. */
  readonly isPrivate: boolean;
  /** True when the bot is where the answer stands; false where only the asker's account has the app. */
  readonly botIsThere: boolean;
  /** The largest file that Discord takes there. */
  readonly fileBytes: number;
  /** True when the answer is a message of its own, and not the panel that was pressed. */
  readonly isNew: boolean;
}

export type InteractionAnswer = ReturnType<typeof createAnswer>;

type Stage =
  /** Acknowledged: people see that it is being worked on. */
  | { readonly is: 'thinking' }
  | { readonly is: 'shown'; readonly originalId: string }
  /** The first message made way for others, which the asker alone sees. */
  | { readonly is: 'withdrawn' }
  /** Fifteen minutes are over: it goes on as messages of the bot like any others. */
  | { readonly is: 'late'; readonly ids: readonly string[] };

const isOver = (thrown: unknown): boolean =>
  isRefusal(
    thrown,
    RESTJSONErrorCodes.InvalidWebhookToken,
    RESTJSONErrorCodes.UnknownWebhook,
    RESTJSONErrorCodes.UnknownInteraction,
  );

/** Puts what no more messages may be made for into a file with the last of them. */
const fit = (parts: readonly Part[], most: number): readonly Part[] => {
  if (parts.length <= most) return parts;
  const rest = parts.slice(most);
  const last = parts[most - 1] as Part;
  const text = rest.map(({ content }) => content).join('\n');
  const files = [
    ...last.files,
    ...rest.flatMap((part) => part.files),
    ...(text ? [asTextFile(parseDiscord(text))] : []),
  ];
  return [...parts.slice(0, most - 1), { ...last, files, rows: rest.at(-1)?.rows ?? [] }];
};

/** A press changes the message with the control: what stood around it would stay as it was. */
const partsOf = (content: Content, most: number, voiceNotes: boolean): readonly Part[] =>
  fit(render(content, { voiceNotes }), content.controls?.length ? 1 : most);

const isForAsker = ({ tone = 'plain' }: Content): boolean => tone !== 'plain';

export const createAnswer = (deps: AnswerDeps) => {
  const { api, log, interaction, channel, isPrivate, botIsThere, fileBytes, isNew } = deps;
  const messages = createAnswerMessages(api, interaction);
  const gone = new AbortController();
  let stage: Stage = { is: 'thinking' };
  /** The parts that the messages show, where these are known. */
  let drawn: readonly Part[] = [];

  /** Messages that the answer takes away itself: Discord may tell of that before it has replied. */
  const taken = new Set<string>();

  const isHidden = (): boolean => isPrivate || stage.is === 'withdrawn';

  /** The ids of all messages, as Discord knows them in the channel. */
  const ownIds = (): readonly string[] => {
    if (stage.is === 'late') return stage.ids;
    return stage.is === 'shown' ? [stage.originalId, ...messages.ids] : [...messages.ids];
  };

  const taking = (inner: MessageWriter): MessageWriter => ({
    ...inner,
    erase: async (id) => {
      taken.add(id);
      await inner.erase(id);
    },
  });

  const writer = taking({
    write: async (part) => messages.post(part, isHidden()),
    rewrite: async (id, part) => {
      const ownId = await messages.edit(id, part);
      if (id === ORIGINAL) stage = { is: 'shown', originalId: ownId };
    },
    erase: async (id) => messages.remove(id),
  });

  const drawLate = async (content: Content): Promise<void> => {
    const parts = partsOf(await deps.shown(channel, content), Infinity, true);
    const bot = taking(botMessageWriter(api, channel));
    stage = { is: 'late', ids: await syncParts(bot, ownIds(), parts) };
  };

  const drawInTime = async (content: Content): Promise<void> => {
    const ids = stage.is === 'withdrawn' ? [...messages.ids] : [ORIGINAL, ...messages.ids];
    const most = botIsThere ? Infinity : ids.length + messages.remaining();
    const parts = partsOf(await deps.shown(channel, content), most, false);
    const before = drawn;
    drawn = [];
    await syncParts(writer, ids, parts, before);
    drawn = parts;
  };

  const draw = async (content: Content): Promise<void> => {
    if (stage.is === 'late') return drawLate(content);
    // An answer is as visible as it was acknowledged: this one makes way for another.
    const makesWay = stage.is === 'thinking' && isForAsker(content) && isNew && !isPrivate;
    try {
      if (makesWay) {
        await messages.remove(ORIGINAL);
        stage = { is: 'withdrawn' };
      }
      await drawInTime(content);
    } catch (thrown) {
      if (!isOver(thrown)) throw thrown;
      if (isHidden() || makesWay || !botIsThere) {
        log.warn('answer expired before it was shown');
        throw new AppError('cancelled', 'the time for the answer was over', { cause: thrown });
      }
      log.info('interaction expired: its answer goes on as a message');
      await drawLate(content);
    }
  };

  const drawing = createSemaphore(1);
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    try {
      await drawing.use(work);
    } catch (thrown) {
      if (isGone(thrown)) gone.abort();
      throw thrown;
    }
  };
  const postBeside = async (content: Content, isForOne: boolean): Promise<void> => {
    for (const part of render(await deps.shown(channel, content), { voiceNotes: false }))
      // It is none of those that a later content takes the place of.
      messages.ids.delete(await messages.post(part, isForOne));
  };
  return {
    paceMs: PACE_MS,
    fileBytes,
    /** Aborted when the answer, or where it stood, is gone. */
    signal: gone.signal,
    show: async (content: Content): Promise<void> => inTurn(async () => draw(content)),
    showBelow: async (content: Content): Promise<void> =>
      inTurn(async () => postBeside(content, isHidden())),
    ...(isNew || isPrivate
      ? {}
      : {
          showAside: async (content: Content): Promise<void> =>
            inTurn(async () => postBeside(content, true)),
        }),
    /** Ends the answer if its own message, or where it stood, is among what was deleted. */
    lost: (ids: readonly string[]): void => {
      const own = new Set([channel.id, channel.space.id, ...ownIds()]);
      if (ids.some((id) => own.has(id) && !taken.has(id))) gone.abort();
    },
  };
};
