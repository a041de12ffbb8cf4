import {
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIMessage,
  type RouteLike,
} from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { Channel, Content } from '../../src/model.ts';
import type { Answer } from '../../src/platform.ts';
import type { Api } from './api.ts';
import { isGone, isRefusal } from './errors.ts';
import { bodyOf, botPen, ignoreGone, redraw, type Pen } from './pens.ts';
import { asTextFile, render, type Part } from './render.ts';

/** Edits of one message more often than this run into its bucket. */
const PACE_MS = 1_000;
/** Where the app is installed to the account only (reference, "Create Followup Message"). */
const FOLLOW_UPS = 5;
/** The name of the first answer, before and after it has an id. */
const ORIGINAL = '@original';

export interface InteractionKey {
  readonly applicationId: string;
  readonly token: string;
}

export interface AnswerParts {
  readonly api: Api;
  readonly log: Log;
  readonly interaction: InteractionKey;
  readonly channel: Channel;
  /** Only the asker sees it. */
  readonly isPrivate: boolean;
  /** Whether the bot is where the answer stands, or only the asker's account has the app. */
  readonly botIsThere: boolean;
  /** Whether the answer is a message of its own, and not the panel that was pressed. */
  readonly isNew: boolean;
}

export interface InteractionAnswer extends Answer {
  /** Aborted when the answer, or where it stood, is gone. */
  readonly signal: AbortSignal;
  /** Something of the channel was deleted: ends the answer if it was its own message. */
  readonly lost: (ids: readonly string[]) => void;
}

const isOver = (thrown: unknown): boolean =>
  isRefusal(
    thrown,
    RESTJSONErrorCodes.InvalidWebhookToken,
    RESTJSONErrorCodes.UnknownWebhook,
    RESTJSONErrorCodes.UnknownInteraction,
  );

/** What no more messages may be made for comes as a file with the last of them. */
const fit = (parts: readonly Part[], most: number): readonly Part[] => {
  if (parts.length <= most) return parts;
  const rest = parts.slice(most);
  const last = parts[most - 1] as Part;
  const text = rest.map(({ content }) => content).join('\n');
  const files = [
    ...last.files,
    ...rest.flatMap((part) => part.files),
    ...(text ? [asTextFile(text)] : []),
  ];
  return [...parts.slice(0, most - 1), { ...last, files, rows: rest.at(-1)?.rows ?? [] }];
};

/** A press changes the message with the control: what stood around it would stay as it was. */
const partsOf = (content: Content, most: number, voiceNotes: boolean): readonly Part[] =>
  fit(render(content, { voiceNotes }), content.controls?.length ? 1 : most);

export const createAnswer = (parts: AnswerParts): InteractionAnswer => {
  const { api, log, interaction, channel, isPrivate, botIsThere, isNew } = parts;
  const { applicationId, token } = interaction;
  const gone = new AbortController();
  const followUps: string[] = [];
  let followUpsMade = 0;
  let originalId: string | undefined;
  let hasShown = false;
  /** The first answer made way for one that the asker alone sees. */
  let isWithdrawn = false;
  /** What the messages show, where that is known. */
  let standing: readonly Part[] = [];
  /** Once the time for the answer is over: the messages that it goes on as. */
  let lateIds: readonly string[] | undefined;

  const route = (id: string): RouteLike => Routes.webhookMessage(applicationId, token, id);
  const pen: Pen = {
    write: async (part) => {
      const { body, files } = bodyOf(part);
      followUpsMade += 1;
      // Sent once: a follow-up has no nonce.
      const { id } = await api.sendOnce<APIMessage>('POST', Routes.webhook(applicationId, token), {
        auth: false,
        body: isPrivate || isWithdrawn ? { ...body, flags: MessageFlags.Ephemeral } : body,
        files,
      });
      followUps.push(id);
      return id;
    },
    rewrite: async (id, part) => {
      const options = { auth: false, ...bodyOf(part) };
      const shown = await api.send<APIMessage>('PATCH', route(id), options);
      if (id === ORIGINAL) originalId = shown.id;
    },
    erase: async (id) => {
      await ignoreGone(api.send('DELETE', route(id), { auth: false }));
      followUps.splice(followUps.indexOf(id), 1);
    },
  };

  const goOn = async (content: Content): Promise<void> => {
    const known = originalId === undefined ? [] : [originalId, ...followUps];
    lateIds = await redraw(
      botPen(api, channel),
      lateIds ?? known,
      partsOf(content, Infinity, true),
    );
  };

  /**
   * What could not be done concerns the asker alone, but an answer is as visible as it was
   * acknowledged: it makes way for another one.
   */
  const withdraw = async (): Promise<void> => {
    await ignoreGone(api.send('DELETE', route(ORIGINAL), { auth: false }));
    isWithdrawn = true;
  };

  const draw = async (content: Content): Promise<void> => {
    if (lateIds) return goOn(content);
    const isForAsker = content.tone === 'error' || content.tone === 'note';
    if (isForAsker && isNew && !isPrivate && !hasShown) await withdraw();
    hasShown = true;
    const most = botIsThere
      ? Infinity
      : Number(!isWithdrawn) + followUps.length + FOLLOW_UPS - followUpsMade;
    const wanted = partsOf(content, most, false);
    const before = standing;
    standing = [];
    try {
      await redraw(pen, isWithdrawn ? followUps.slice() : [ORIGINAL, ...followUps], wanted, before);
      standing = wanted;
    } catch (thrown) {
      if (!isOver(thrown)) throw thrown;
      // Fifteen minutes are over: from here on the answer is a message of the bot like any other.
      if (isPrivate || isWithdrawn || !botIsThere) {
        log.warn('an answer came too late to be shown');
        throw new AppError('cancelled', 'the time for the answer was over', { cause: thrown });
      }
      log.info('the time for an answer was over: it goes on as a message');
      await goOn(content);
    }
  };

  let last: Promise<void> = Promise.resolve();
  return {
    paceMs: PACE_MS,
    signal: gone.signal,
    show: async (content) => {
      const drawing = last.then(async () => draw(content));
      last = drawing.catch(() => undefined);
      try {
        await drawing;
      } catch (thrown) {
        if (isGone(thrown)) gone.abort();
        throw thrown;
      }
    },
    lost: (ids) => {
      const own = new Set([channel.id, channel.space.id, originalId, ...followUps]);
      if (ids.some((id) => own.has(id))) gone.abort();
    },
  };
};
