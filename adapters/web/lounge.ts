import { AppError, reasonSentence, toAppError, userError } from '../../src/errors.ts';
import { explain } from '../../src/i18n/texts.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { parseMarkdown } from '../../src/rich-text/markdown/parse.ts';
import type { Core } from '../../src/adapter.ts';
import type { ChannelLog, Entry } from './channel-log.ts';
import type { EventStreams } from './event-streams.ts';
import { WEB_LIMITS, TIMES } from './limits.ts';
import { toHtml } from './html.ts';
import { PLATFORM, type Profile } from './profiles.ts';
import { pageChannel } from './platform.ts';
import type { PageMessage, PageTranslation } from './protocol.ts';

/** One line on its way into the languages that it is not in yet. */
export interface LineJob {
  readonly entry: Entry;
  readonly languages: readonly string[];
  /** True on its way to those who are there, not to somebody who came later. */
  readonly isNew: boolean;
}

export interface LineQueueDeps {
  /** True once nobody can see the line any more: its turn is passed over. */
  readonly isGone: (entry: Entry) => boolean;
  /** Never rejects. */
  readonly run: (job: LineJob, signal: AbortSignal) => Promise<void>;
}

interface Working {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** Works on few lines at once and lets few wait. */
export const createLineQueue = ({ isGone, run }: LineQueueDeps) => {
  let waiting: LineJob[] = [];
  const working = new Map<LineJob, Working>();

  const start = (job: LineJob): void => {
    const abort = new AbortController();
    const work = async (): Promise<void> => {
      await run(job, abort.signal);
      working.delete(job);
      next();
    };
    working.set(job, { abort, done: work() });
  };

  const abortWhere = (wanted: (job: LineJob) => boolean): void => {
    waiting = waiting.filter((job) => !wanted(job));
    for (const [job, { abort }] of working) if (wanted(job)) abort.abort();
  };

  const next = (): void => {
    while (working.size < WEB_LIMITS.linesAtOnce) {
      const job = waiting.shift();
      if (!job) return;
      if (!isGone(job.entry)) start(job);
    }
  };

  return {
    /** False when too many wait already. */
    add: (job: LineJob): boolean => {
      if (waiting.length >= WEB_LIMITS.linesWaiting)
        waiting = waiting.filter(({ entry }) => !isGone(entry));
      if (waiting.length >= WEB_LIMITS.linesWaiting) return false;
      waiting.push(job);
      next();
      return true;
    },
    /** Number of a member's new lines that wait or are worked on. */
    of: (memberId: string): number =>
      [...waiting, ...working.keys()].filter(
        ({ isNew, entry }) => isNew && entry.message.author.id === memberId,
      ).length,
    /** Ends the work on a member's lines, those that wait included. */
    drop: (memberId: string): void =>
      abortWhere(({ entry }) => entry.message.author.id === memberId),
    /** Ends the work on lines that nobody can see any more. */
    dropGone: (): void => abortWhere(({ entry }) => isGone(entry)),
    [Symbol.asyncDispose]: async () => {
      abortWhere(() => true);
      await Promise.allSettled([...working.values()].map(({ done }) => done));
    },
  };
};

export interface LoungeDeps {
  readonly core: Core;
  readonly channelLog: ChannelLog;
  readonly publish: EventStreams['publish'];
  readonly languages: () => readonly string[];
}

interface Version {
  readonly html: string;
  readonly state: PageTranslation['state'];
  readonly error?: AppError;
}

type Versions = Map<string, Version>;

const WAITING: Version = { html: '', state: 'growing' };
const SAME: Version = { html: '', state: 'same' };

const failed = (error: AppError): Version => ({ html: '', state: 'failed', error });

export type Lounge = ReturnType<typeof createLounge>;

export const createLounge = ({ core, channelLog, publish, languages }: LoungeDeps) => {
  /** The versions of each line, by language: nothing is asked for twice. */
  const lines = new Map<string, Versions>();

  const wireOf = (
    language: string,
    { error, ...shown }: Version,
    locale: string,
  ): PageTranslation => {
    if (!error) return { language, ...shown };
    const { remedy } = error;
    const told = { sentence: reasonSentence(error), remedy };
    const reason = explain(core.texts.rich(locale), told, 'moderator');
    return { language, ...shown, reason: plainText(reason) };
  };

  const tell = (id: string, language: string): void => {
    const version = lines.get(id)?.get(language);
    if (!version) return;
    const byLocale = new Map<
      string,
      { type: 'translation'; id: string; translation: PageTranslation }
    >();
    publish((reader) => {
      if (reader.language !== language) return undefined;
      const event = byLocale.get(reader.locale) ?? {
        type: 'translation' as const,
        id,
        translation: wireOf(language, version, reader.locale),
      };
      byLocale.set(reader.locale, event);
      return event;
    }, version.html.length);
  };

  const set = (id: string, language: string, version: Version): void => {
    const versions = lines.get(id);
    if (!versions) return;
    versions.set(language, version);
    let bytes = 0;
    for (const each of versions.values()) bytes += each.html.length;
    channelLog.weigh(id, bytes);
    tell(id, language);
  };

  const fail = ({ entry, languages: wanted }: LineJob, error: AppError): void => {
    for (const language of wanted) set(entry.message.id, language, failed(error));
  };

  /** Takes a member's opt-out: shows their lines as written and drops the translations. */
  const optedOut = (memberId: string): void => {
    queue.drop(memberId);
    for (const { message, source } of channelLog.inChannel('lounge')) {
      if (message.author.id !== memberId || source === '') continue;
      for (const language of lines.get(message.id)?.keys() ?? []) set(message.id, language, SAME);
      lines.delete(message.id);
      channelLog.dropSource(message.id);
    }
  };

  const logError = (language: string, error: AppError): void => {
    if (error.code === 'cancelled') return;
    const level = error.code === 'internal' ? 'error' : 'warn';
    core.log[level]({ language, code: error.code, err: error }, 'line not translated');
  };

  const run = async ({ entry, languages: wanted }: LineJob, signal: AbortSignal): Promise<void> => {
    const { id, author } = entry.message;
    const person = { platform: PLATFORM, id: author.id };
    if (await core.services.privacy.optedOut(person)) return optedOut(author.id);
    const line = {
      ref: { channel: pageChannel('lounge'), id },
      author: person,
      text: parseMarkdown(entry.source),
    };
    const shownAtMs = new Map<string, number>();
    const states = core.translateLine(line, wanted, signal);
    for await (const { language, text, done, error } of states) {
      if (!channelLog.find(id)) return;
      const now = performance.now();
      const shownBefore = shownAtMs.get(language) ?? -Infinity;
      if (!done && now - shownBefore < TIMES.answerPaceMs) continue;
      shownAtMs.set(language, now);
      const version: Version = { html: toHtml(text), state: done ? 'done' : 'growing' };
      if (error) logError(language, error);
      set(id, language, error ? failed(error) : version);
    }
    for (const language of wanted)
      if (lines.get(id)?.get(language) === WAITING) set(id, language, SAME);
  };

  const queue = createLineQueue({
    isGone: ({ message }) => !channelLog.find(message.id),
    run: async (job, signal) => {
      try {
        await run(job, signal);
      } catch (error) {
        core.log.error({ err: error }, 'line not translated');
        fail(job, toAppError(error));
      }
    },
  });

  const ask = (entry: Entry, wanted: readonly string[], isNew: boolean): void => {
    const { id } = entry.message;
    const versions: Versions = lines.get(id) ?? new Map();
    lines.set(id, versions);
    const missing = [...new Set(wanted)]
      .filter((language) => !versions.has(language) || versions.get(language)?.state === 'failed')
      .slice(0, WEB_LIMITS.languagesPerLine - versions.size);
    if (missing.length === 0) return;
    for (const language of missing) set(id, language, WAITING);
    const job = { entry, languages: missing, isNew };
    if (!queue.add(job)) fail(job, new AppError('rate-limited', 'too many lines wait'));
  };

  /** Drops the translations of lines that are gone, and ends the work on them. */
  const forgetGone = (): void => {
    queue.dropGone();
    for (const id of lines.keys()) if (!channelLog.find(id)) lines.delete(id);
  };

  return {
    /** Throws `rate-limited` when too many lines of this member's wait for their translation. */
    admit: (memberId: string): void => {
      if (queue.of(memberId) >= WEB_LIMITS.linesPerMember)
        throw userError('rate-limited', 'web.errors.too-many-lines');
    },
    /** Puts a line before every reader who is there, each in their language. */
    translate: (entry: Entry): void => {
      forgetGone();
      ask(entry, languages(), true);
    },
    /** Translates the last lines for somebody who came later or changed the language. */
    catchUp: (language: string): void => {
      const recent = channelLog.inChannel('lounge').filter(({ source }) => source !== '');
      for (const entry of recent.slice(-WEB_LIMITS.catchUpLines).toReversed())
        ask(entry, [language], false);
    },
    /** A lounge message as a reader of `language` sees it now. */
    as: (message: PageMessage, { language, locale }: Profile): PageMessage => {
      const version = lines.get(message.id)?.get(language);
      return version ? { ...message, translation: wireOf(language, version, locale) } : message;
    },
    optedOut,
    forgetGone,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
};
