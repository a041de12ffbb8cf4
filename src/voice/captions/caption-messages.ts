import { isDeepStrictEqual } from 'node:util';
import { type Clock, waitUntil } from '../../async/clock.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Channel } from '../../model/place.ts';
import type { Paragraph } from '../../rich-text/rich-text.ts';
import type { Platform } from '../../ports/platform.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { Caption, CaptionDisplay } from './caption.ts';
import {
  createEditPace,
  isLongRefused,
  nextChannelState,
  OPEN_CHANNEL,
} from './caption-channel.ts';
import { createLostLines, type LostLines } from './missing-lines.ts';
import { type Page, type PageLimits, Pages } from './pages.ts';

const LIMITS: PageLimits = { chars: 1_800, lines: 15, ageMs: 600_000, newPageAfterMs: 120_000 };

/** Receives what happens to captions in their channel. */
export interface CaptionMessagesListener {
  /** Reports that the channel is gone; nothing is shown or reported afterwards. */
  readonly gone?: (error: AppError) => void;
  /**
   * Reports the error that keeps captions from being shown until somebody changes something in the
   * channel; undefined when they are shown again.
   */
  readonly blocked?: (error: AppError | undefined) => void;
  /** Reports final lines that were given up while the channel refused, once it accepts or at the end. */
  readonly unshown?: (lost: LostLines) => void;
  /** Takes the time from the end of speech to its final caption in the channel. */
  readonly captionShown?: (lagMs: number) => void;
}

export interface CaptionMessagesDeps {
  readonly clock: Clock;
  readonly platform: Pick<Platform, 'post' | 'edit' | 'delete'>;
  /** The channel in which captions are shown. */
  readonly channel: Channel;
  /** Rate of edits, and of posts, that the channel takes. */
  readonly editRate: EditRate;
  /** The one language of the channel's readers. Default: all translations are shown. */
  readonly language?: string | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly listener?: CaptionMessagesListener;
  readonly limits?: Partial<PageLimits>;
}

/** Time after which a request counts as hanging, and others no longer wait for it. */
const HANGS_MS = 3_000;
/** Most requests under way, hanging ones included. */
const MOST_UNDER_WAY = 3;

const finalsIn = ({ captions }: Page): readonly Caption[] =>
  captions.filter(({ isFinal }) => isFinal);

const unshownFinalsIn = (page: Page): readonly Caption[] =>
  finalsIn(page).filter(({ id }) => !page.shownFinals.has(id));

/** Identifies the parts of a page that no longer change: final captions, finished translations. */
const lastingIn = (page: Page): string =>
  finalsIn(page)
    .map(({ id, translations }) => {
      const done = [...translations].filter(([, one]) => one.done);
      return [id, ...done.map(([language]) => language)].join(' ');
    })
    .join();

/** A page that is to be sent, and the time for that. */
interface Due {
  readonly page: Page;
  readonly dueMs: number;
}

/** True when a page is sent before another one: earlier, and at the same time new ones first. */
const isSooner = ({ page, dueMs }: Due, other: Due | undefined): boolean =>
  !other ||
  dueMs < other.dueMs ||
  (dueMs === other.dueMs && (!page.posted || page.sentMs < other.page.sentMs));

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
  const { clock, platform, channel, log, editRate, language, listener = {} } = deps;
  const edits = createEditPace(editRate);
  const posts = createEditPace(editRate);
  const limits = { ...LIMITS, ...deps.limits };
  const pages = new Pages(limits, { language, longest: limits.chars });
  const settling: (() => void)[] = [];
  const unshown = createLostLines((lost) => listener.unshown?.(lost));
  /** Pages whose request is under way; true: it hangs. */
  const sending = new Map<Page, boolean>();
  let state = OPEN_CHANNEL;
  let isBlocked = false;
  let isWoken = false;
  /** True when no more captions come, and the remaining ones must be sent at once. */
  let isEnding = false;
  let isEnded = false;
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
    listener.blocked?.(error);
  };

  /** The next page to send: new ones first and in order, then the one that has waited longest. */
  const nextPage = (): Due | undefined => {
    const nowMs = clock.nowMs();
    let next: Due | undefined;
    let isFreshSeen = [...sending.keys()].some(({ posted }) => !posted);
    for (const page of pages.all) {
      if (
        sending.has(page) ||
        isDeepStrictEqual(page.text, page.shown) ||
        (!page.posted && isFreshSeen)
      )
        continue;
      isFreshSeen ||= !page.posted;
      const pace = page.posted ? edits : posts;
      const isUrgent = isEnding || lastingIn(page) !== page.shownLasting;
      const evenlyMs = isUrgent ? nowMs : page.sentMs + pace.evenMs;
      const dueMs = Math.max(state.blockedUntilMs, pace.freeAtMs(nowMs, isUrgent), evenlyMs);
      if (isSooner({ page, dueMs }, next)) next = { page, dueMs };
    }
    return next;
  };

  /** Gives up the final lines that could not be shown for too long. */
  const giveUp = (): void => {
    const waiting = pages.all.filter((page) => !sending.has(page));
    const given = new Set(waiting.flatMap(unshownFinalsIn));
    for (const caption of given) unshown.add(caption);
    pages.removeWhere((caption) => given.has(caption));
  };

  const failed = (page: Page, lines: readonly Paragraph[], error: AppError): void => {
    if (isEnded) return;
    const { code, message: reason, retryable } = error;
    const nowMs = clock.nowMs();
    if (code === 'not-found' && page.posted) {
      // Somebody deleted the message: its final captions are not posted again, the others move on.
      const missing = page.captions.filter(({ id }) => !page.shownFinals.has(id));
      pages.drop(page, missing, nowMs);
    } else if (code === 'not-found') {
      log.warn({ code, reason }, 'the caption channel is gone');
      finish();
      listener.gone?.(error);
    } else if (code === 'bad-input' || code === 'too-large' || code === 'unsupported') {
      // The same content would be refused again.
      log.warn({ code, reason }, 'a caption message was refused');
      if (page.posted) page.shown = lines;
      else pages.drop(page, [], nowMs);
    } else {
      if (state.failures === 0) log.warn({ code, reason }, 'captions cannot be shown now');
      if (!retryable) reportBlocked(error);
      state = nextChannelState(state, { kind: 'failed', error, nowMs });
      if (isLongRefused(state, nowMs)) giveUp();
    }
  };

  /** Lets other messages go on while a request hangs; captions that are not in it get another message. */
  const leaveHanging = (page: Page, sent: ReadonlySet<number>): void => {
    sending.set(page, true);
    page.isClosed = true;
    const others = new Set(page.captions.filter(({ id }) => !sent.has(id)));
    pages.removeWhere((caption) => others.has(caption));
    for (const caption of others) pages.put(caption, clock.nowMs());
  };

  const send = async (page: Page): Promise<void> => {
    const { posted, text: lines } = page;
    const lasting = lastingIn(page);
    const finals = finalsIn(page);
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
      for (const { id, endMs } of finals)
        if (!page.shownFinals.has(id)) listener.captionShown?.(clock.nowMs() - endMs);
      page.shown = lines;
      page.shownFinals = new Set(finals.map(({ id }) => id));
      page.shownLasting = lasting;
      state = nextChannelState(state, { kind: 'accepted' });
      reportBlocked(undefined);
      unshown.report();
      if (posted && !page.posted) pages.drop(page, page.captions, clock.nowMs());
    } catch (thrown) {
      sending.delete(page);
      page.isSent = page.posted !== undefined;
      failed(page, lines, toAppError(thrown));
    }
    page.isSent = page.posted !== undefined;
    page.sentMs = clock.nowMs();
    (posted ? edits : posts).used(page.sentMs);
    sending.delete(page);
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
    const { page, dueMs } = next;
    const waitMs = dueMs - clock.nowMs();
    if (waitMs > 0) return void (cancelTimer = clock.after(waitMs, go));
    const sent = new Set(page.captions.map(({ id }) => id));
    sending.set(page, false);
    const cancelHangs = clock.after(HANGS_MS, () => {
      leaveHanging(page, sent);
      go();
    });
    void send(page).finally(() => {
      cancelHangs();
      go();
    });
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
  const take = (isTaken: (caption: Caption) => boolean): void => {
    pages.removeWhere(isTaken);
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
    remove: (id) => take((caption) => caption.id === id),
    forget: (speakerId) => take((caption) => caption.speakerId === speakerId),
    settled,
    retry: () => {
      if (!state.refused) return;
      state = nextChannelState(state, { kind: 'permissions-changed' });
      go();
    },
    end: async (latestMs) => {
      isEnding = true;
      wake();
      await waitUntil(clock, latestMs, settled());
      if (state.refused) giveUp();
      finish();
      unshown.report();
    },
  };
};
