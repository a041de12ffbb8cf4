import { AppError, reasonSentence, toAppError, userError } from '../../src/errors.ts';
import { explain } from '../../src/i18n/texts.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { parseMarkdown } from '../../src/rich-text/markdown/parse.ts';
import type { Core } from '../../src/adapter.ts';
import type { ChannelLog, LogEntry } from './channel-log.ts';
import { createLineQueue, type LineJob } from './line-queue.ts';
import type { EventStreams } from './event-streams.ts';
import { WEB_LIMITS, TIMES } from './limits.ts';
import { toHtml } from './html.ts';
import { PLATFORM, type Profile } from './profiles.ts';
import { pageChannel } from './platform.ts';
import type { PageMessage, PageTranslation } from './protocol.ts';

export interface LoungeDeps {
  readonly core: Core;
  readonly channelLog: ChannelLog;
  readonly publish: EventStreams['publish'];
  readonly languages: () => readonly string[];
  /** True where nobody but the operator can open the page. */
  readonly isOperators: boolean;
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

export const createLounge = ({ core, channelLog, publish, languages, isOperators }: LoungeDeps) => {
  /** The versions of each line, by language: nothing is asked for twice. */
  const lines = new Map<string, Versions>();

  const wireOf = (
    language: string,
    { error, ...shown }: Version,
    locale: string,
  ): PageTranslation => {
    if (!error) return { language, ...shown };
    const fault = { sentence: reasonSentence(error), remedy: error.remedy };
    const reason = explain(core.texts.rich(locale), fault, {
      role: 'moderator',
      isOperator: isOperators,
    });
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

  const fail = (job: LineJob, error: AppError): void => {
    for (const language of job.languages) set(job.entry.message.id, language, failed(error));
  };

  /** Shows a member's lines as they were written, and drops their translations. */
  const showAsWritten = (memberId: string): void => {
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

  const translateLine = async ({ entry, ...job }: LineJob, signal: AbortSignal): Promise<void> => {
    const { id, author } = entry.message;
    const person = { platform: PLATFORM, id: author.id };
    const line = {
      ref: { channel: pageChannel('lounge'), id },
      author: person,
      text: parseMarkdown(entry.source),
    };
    const shownAtMs = new Map<string, number>();
    const states = core.translateLine(line, job.languages, signal);
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
    for (const language of job.languages)
      if (lines.get(id)?.get(language) === WAITING) set(id, language, SAME);
  };

  const queue = createLineQueue({
    isGone: ({ message }) => !channelLog.find(message.id),
    run: async (job, signal) => {
      const { id } = job.entry.message.author;
      try {
        if (!(await core.services.privacy.optedOut({ platform: PLATFORM, id })))
          return await translateLine(job, signal);
        queue.drop(id);
        showAsWritten(id);
      } catch (error) {
        core.log.error({ err: error }, 'line not translated');
        fail(job, toAppError(error));
      }
    },
  });

  const translateInto = (entry: LogEntry, readers: readonly string[], isNew: boolean): void => {
    const { id } = entry.message;
    const versions: Versions = lines.get(id) ?? new Map();
    lines.set(id, versions);
    const missing = [...new Set(readers)]
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
    translate: (entry: LogEntry): void => {
      forgetGone();
      translateInto(entry, languages(), true);
    },
    /** Translates the last lines for somebody who came later or changed the language. */
    catchUp: (language: string): void => {
      const recent = channelLog.inChannel('lounge').filter(({ source }) => source !== '');
      for (const entry of recent.slice(-WEB_LIMITS.catchUpLines).toReversed())
        translateInto(entry, [language], false);
    },
    /** A lounge message as a reader of `language` sees it now. */
    as: (message: PageMessage, { language, locale }: Profile): PageMessage => {
      const version = lines.get(message.id)?.get(language);
      return version ? { ...message, translation: wireOf(language, version, locale) } : message;
    },
    optedOut: (memberId: string): void => {
      queue.drop(memberId);
      showAsWritten(memberId);
    },
    forgetGone,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
};
