import { type Backoff, backoffMs } from '../../async/backoff.ts';
import { type Clock, waitUntil } from '../../async/clock.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Channel } from '../../model/place.ts';
import type { Paragraph } from '../../rich-text/rich-text.ts';
import { equal } from '../../rich-text/walk.ts';
import type { Platform } from '../../ports/platform.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { Caption, CaptionDisplay } from './caption.ts';
import type { VoiceMetrics } from '../metrics.ts';
import { createLostLines, type LostLines } from './lost-lines.ts';
import { type Page, type PageLimits, Pages } from './pages.ts';
import type { CaptionTexts } from './render.ts';

/** Edits kept back for final captions. */
const RESERVED = 2;

/** Divides the edits that a platform allows, urgent ones first. */
export const createEditPace = ({ count, windowMs }: EditRate) => {
  let times: number[] = [];
  const freedMs = (most: number): number => (times.at(-most) ?? -Infinity) + windowMs;
  return {
    /** Least time between two edits that are not urgent. */
    evenMs: windowMs / count,
    /** The earliest time of the next edit; one that is not urgent leaves some for those that are. */
    freeAtMs: (nowMs: number, isUrgent: boolean): number => {
      if (isUrgent) return Math.max(nowMs, freedMs(count));
      return Math.max(nowMs, freedMs(Math.max(1, count - RESERVED)));
    },
    used: (nowMs: number): void => {
      times = [...times, nowMs].slice(-count);
    },
  };
};

const LIMITS: PageLimits = { chars: 1_800, lines: 15, ageMs: 600_000, pauseMs: 120_000 };

/** Waits after failures for which the platform names no time. */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** Waits while the channel refuses: Discord bans whoever is refused too often. */
const REFUSED_BACKOFF: Backoff = { firstMs: 30_000, longestMs: 300_000 };
/** Least wait after a refusal, even when permissions change meanwhile. */
const REFUSED_MS = 5_000;
/** Time for which lines wait for a channel that refuses; then they are counted, not shown. */
const KEPT_REFUSED_MS = 60_000;

export interface CaptionMessagesDeps {
  readonly clock: Clock;
  readonly platform: Pick<Platform, 'post' | 'edit' | 'delete'>;
  /** The channel in which captions are shown. */
  readonly channel: Channel;
  /** Rate of edits, and of posts, that the channel takes. */
  readonly editRate: EditRate;
  readonly texts: CaptionTexts;
  /** The one language of the channel's readers. Default: all translations are shown. */
  readonly language?: string | undefined;
  readonly log: Pick<Log, 'warn'>;
  /** Called when the channel is gone; nothing is shown or reported afterwards. */
  readonly gone?: (error: AppError) => void;
  /**
   * Reports the error that keeps captions from being shown until somebody changes something in the
   * channel; undefined when they are shown again.
   */
  readonly blocked?: (error: AppError | undefined) => void;
  /** Reports final lines that were given up while the channel refused, once it accepts or at the end. */
  readonly unshown?: (lost: LostLines) => void;
  /** Takes the time from the end of speech to its final caption in the channel. */
  readonly captionShown?: VoiceMetrics['captionShown'];
  readonly limits?: Partial<PageLimits>;
}

/** Time after which a request counts as hanging, and others no longer wait for it. */
const HANGS_MS = 3_000;
/** Most requests under way, hanging ones included. */
const MOST_UNDER_WAY = 3;

/** Identifies the parts of a page that no longer change: final captions, finished translations. */
const lastingIn = ({ captions }: Page): string =>
  captions
    .filter(({ isFinal }) => isFinal)
    .map(({ id, translations }) => {
      const done = [...translations].filter(([, one]) => one.done);
      return [id, ...done.map(([language]) => language)].join(' ');
    })
    .join();

export interface CaptionMessages extends CaptionDisplay {
  /** Tries again soon where the channel refused: permissions may have changed. */
  readonly retry: () => void;
}

/**
 * Shows captions in messages of one channel, which it edits while they are fresh. They stand in the order
 * in which they were spoken, over all messages; late ones too, up to 75 s after their speech began. A
 * caption that is even later and belongs before the last two messages stands at the end. Captions of a
 * message that somebody deleted are not shown again.
 */
export const createCaptionMessages = (deps: CaptionMessagesDeps): CaptionMessages => {
  const { clock, platform, channel, log, gone, editRate, language, texts } = deps;
  const edits = createEditPace(editRate);
  const posts = createEditPace(editRate);
  const limits = { ...LIMITS, ...deps.limits };
  const pages = new Pages(limits, { language, texts, longest: limits.chars });
  const settling: (() => void)[] = [];
  let isWoken = false;
  /** Pages whose request is under way; true: it hangs. */
  const sending = new Map<Page, boolean>();
  /** True when no more captions come, and the remaining ones must be sent at once. */
  let isEnding = false;
  let isEnded = false;
  let failures = 0;
  let isBlocked = false;
  let blockedUntilMs = Number.NEGATIVE_INFINITY;
  /** Time of the first refusal in a row, and of the last one. */
  let refused: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  const unshown = createLostLines((lost) => deps.unshown?.(lost));
  let cancelTimer: (() => void) | undefined;

  const resolveSettled = (): void => {
    for (const settle of settling.splice(0)) settle();
  };

  const finish = (): void => {
    isEnded = true;
    cancelTimer?.();
    pages.clear();
    resolveSettled();
  };

  const reportBlocked = (error: AppError | undefined): void => {
    if (isBlocked === (error !== undefined)) return;
    isBlocked = error !== undefined;
    deps.blocked?.(error);
  };

  /** The next page to send: new ones first and in order, then the one that has waited longest. */
  const nextPage = (): { readonly page: Page; readonly dueMs: number } | undefined => {
    const nowMs = clock.nowMs();
    let next: { readonly page: Page; readonly dueMs: number } | undefined;
    let isFreshSeen = [...sending.keys()].some(({ posted }) => !posted);
    for (const page of pages.all) {
      if (sending.has(page) || equal(page.text, page.shown) || (!page.posted && isFreshSeen))
        continue;
      isFreshSeen ||= !page.posted;
      const pace = page.posted ? edits : posts;
      const isUrgent = isEnding || lastingIn(page) !== page.shownLasting;
      const evenlyMs = isUrgent ? nowMs : page.sentMs + pace.evenMs;
      const dueMs = Math.max(blockedUntilMs, pace.freeAtMs(nowMs, isUrgent), evenlyMs);
      const isSooner =
        !next ||
        dueMs < next.dueMs ||
        (dueMs === next.dueMs && (!page.posted || page.sentMs < next.page.sentMs));
      if (isSooner) next = { page, dueMs };
    }
    return next;
  };

  /** Gives up the final lines that could not be shown for too long. */
  const giveUp = (): void => {
    const waiting = pages.all.filter((page) => !sending.has(page));
    const given = waiting.flatMap(({ captions, shownFinals }) =>
      captions.filter(({ id, isFinal }) => isFinal && !shownFinals.has(id)),
    );
    for (const caption of given) unshown.add(caption);
    const ids = new Set(given.map(({ id }) => id));
    pages.take(({ id }) => ids.has(id));
  };
  const waitAfter = ({ code, retryable }: AppError, nowMs: number): number => {
    if (code !== 'forbidden') return retryable ? backoffMs(BACKOFF, failures) : BACKOFF.longestMs;
    refused = { sinceMs: refused?.sinceMs ?? nowMs, lastMs: nowMs };
    if (nowMs - refused.sinceMs >= KEPT_REFUSED_MS) giveUp();
    return backoffMs(REFUSED_BACKOFF, failures);
  };

  const failed = (page: Page, lines: readonly Paragraph[], error: AppError): void => {
    if (isEnded) return;
    const { code, message: reason, retryable, retryAfterMs } = error;
    const nowMs = clock.nowMs();
    if (code === 'not-found' && page.posted) {
      // Somebody deleted the message: its final captions are not posted again, the others move on.
      const missing = page.captions.filter(({ id }) => !page.shownFinals.has(id));
      pages.drop(page, missing, nowMs);
    } else if (code === 'not-found') {
      log.warn({ code, reason }, 'the caption channel is gone');
      finish();
      gone?.(error);
    } else if (code === 'bad-input' || code === 'too-large' || code === 'unsupported') {
      // The same content would be refused again.
      log.warn({ code, reason }, 'a caption message was refused');
      if (page.posted) page.shown = lines;
      else pages.drop(page, [], nowMs);
    } else {
      if (failures === 0) log.warn({ code, reason }, 'captions cannot be shown now');
      if (!retryable) reportBlocked(error);
      const waitMs = waitAfter(error, nowMs);
      failures += 1;
      blockedUntilMs = nowMs + (retryAfterMs ?? waitMs);
    }
  };

  /** Lets other messages go on while a request hangs; captions that are not in it get another message. */
  const hangs = (page: Page, sent: readonly Caption[]): void => {
    sending.set(page, true);
    page.isClosed = true;
    const ids = new Set(sent.map(({ id }) => id));
    const others = page.captions.filter(({ id }) => !ids.has(id));
    pages.take((caption) => others.includes(caption));
    for (const caption of others) pages.put(caption, clock.nowMs());
    go();
  };

  const send = async (page: Page): Promise<void> => {
    const { posted, text: lines } = page;
    const lasting = lastingIn(page);
    const finals = new Set(page.captions.filter(({ isFinal }) => isFinal).map(({ id }) => id));
    sending.set(page, false);
    const sent = [...page.captions];
    const cancelHangs = clock.after(HANGS_MS, () => hangs(page, sent));
    page.isSent = true;
    try {
      if (!posted) {
        page.posted = await platform.post(channel, { text: lines });
        page.openedMs = clock.nowMs();
      } else if (lines.length > 0) page.posted = await platform.edit(posted, { text: lines });
      else {
        await platform.delete(posted);
        page.posted = undefined;
      }
      for (const { id, endMs } of sent)
        if (finals.has(id) && !page.shownFinals.has(id)) deps.captionShown?.(clock.nowMs() - endMs);
      page.shown = lines;
      page.shownFinals = finals;
      page.shownLasting = lasting;
      failures = 0;
      refused = undefined;
      reportBlocked(undefined);
      unshown.tell();
      if (posted && !page.posted) pages.drop(page, page.captions, clock.nowMs());
    } catch (thrown) {
      sending.delete(page);
      page.isSent = page.posted !== undefined;
      failed(page, lines, toAppError(thrown));
    }
    const nowMs = clock.nowMs();
    page.isSent = page.posted !== undefined;
    page.sentMs = nowMs;
    (posted ? edits : posts).used(nowMs);
    cancelHangs();
    sending.delete(page);
    go();
  };

  const go = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    const isBusy = sending.size >= MOST_UNDER_WAY || [...sending.values()].includes(false);
    if (isEnded || isBusy) return;
    const next = nextPage();
    if (!next) {
      if (sending.size === 0) resolveSettled();
      return;
    }
    const waitMs = next.dueMs - clock.nowMs();
    if (waitMs > 0) cancelTimer = clock.after(waitMs, go);
    else void send(next.page);
  };

  /** Sends changes of the same moment together. */
  const wake = (): void => {
    if (isWoken) return;
    isWoken = true;
    queueMicrotask(() => {
      isWoken = false;
      go();
    });
  };

  const show = (caption: Caption): void => {
    if (isEnded) return;
    pages.put(caption, clock.nowMs());
    wake();
  };

  const settled = async (): Promise<void> => {
    if (isEnded || (!isWoken && sending.size === 0 && !nextPage())) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    settling.push(resolve);
    await promise;
  };

  return {
    show,
    change: (caption) => {
      if (pages.has(caption.id)) show(caption);
    },
    remove: (id) => {
      pages.take((caption) => caption.id === id);
      wake();
    },
    forget: (speakerId) => {
      pages.take((caption) => caption.speakerId === speakerId);
      wake();
    },
    settled,
    retry: () => {
      if (!refused) return;
      blockedUntilMs = Math.min(blockedUntilMs, refused.lastMs + REFUSED_MS);
      go();
    },
    end: async (latestMs) => {
      isEnding = true;
      wake();
      await waitUntil(clock, latestMs, settled());
      if (refused) giveUp();
      finish();
      unshown.tell();
    },
  };
};
