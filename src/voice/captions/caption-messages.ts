import { backoffMs, type Backoff } from '../../async/backoff.ts';
import { toAppError, type AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Content } from '../../model/content.ts';
import type { Posted } from '../../model/place.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { Caption, CaptionBoard } from './caption.ts';
import { createEditPace, type EditPace } from './edit-pace.ts';
import { Pages, type Page, type PageLimits } from './pages.ts';
import type { CaptionTexts } from './render.ts';

const LIMITS: PageLimits = { chars: 1_800, lines: 15, ageMs: 600_000, pauseMs: 120_000 };

/** Waits after failures, where the platform does not say how long. */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** What a message shows of which nothing is left, where none can be deleted. */
const NOTHING_LEFT = '…';

/** The channel of a board. Rejects with `AppError`. */
export interface CaptionMessagesPort {
  /** The same words are not posted twice when the answer to the first time was lost. */
  post(content: Content): Promise<Posted>;
  edit(posted: Posted, content: Content): Promise<Posted>;
  /** Left out: a message of which nothing is left shows an ellipsis. */
  remove?(posted: Posted): Promise<void>;
}

export interface CaptionMessagesDeps {
  readonly clock: Clock;
  readonly port: CaptionMessagesPort;
  /** How many edits the channel takes, and how many posts. */
  readonly editRate: EditRate;
  readonly texts: CaptionTexts;
  /** The one language of its readers. Default: what is said, and all translations beneath. */
  readonly language?: string | undefined;
  readonly log: Pick<Log, 'warn'>;
  /** Nothing can be shown there any more; nothing is told afterwards. */
  readonly gone?: (error: AppError) => void;
  /** Nothing is shown until somebody changes something there, and why; undefined: it is again. */
  readonly hindered?: (error: AppError | undefined) => void;
  readonly limits?: Partial<PageLimits>;
}

/** What does not change any more: final lines, and translations that are whole. */
const lastingIn = ({ captions }: Page): string =>
  captions
    .filter(({ isFinal }) => isFinal)
    .map(({ id, translations }) => {
      const done = [...translations].filter(([, one]) => one.done);
      return [id, ...done.map(([language]) => language)].join(' ');
    })
    .join();

class Board implements CaptionBoard {
  readonly #parts: CaptionMessagesDeps;
  readonly #pages: Pages;
  readonly #settling: (() => void)[] = [];
  #isWoken = false;
  #isSending = false;
  /** Nothing new comes, and nothing that is left can wait. */
  #isEnding = false;
  #isEnded = false;
  #failures = 0;
  #isHindered = false;
  #blockedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #edits: EditPace;
  readonly #posts: EditPace;
  #takeBackTimer: (() => void) | undefined;

  constructor(deps: CaptionMessagesDeps) {
    const { language, texts, editRate } = deps;
    this.#edits = createEditPace(editRate);
    this.#posts = createEditPace(editRate);
    const limits = { ...LIMITS, ...deps.limits };
    this.#parts = deps;
    this.#pages = new Pages(limits, { language, texts, longest: limits.chars });
  }

  show(caption: Caption): void {
    if (this.#isEnded) return;
    this.#pages.put(caption, this.#parts.clock.nowMs());
    this.#wake();
  }

  change(caption: Caption): void {
    if (this.#pages.has(caption.id)) this.show(caption);
  }

  remove(id: number): void {
    this.#pages.take((caption) => caption.id === id);
    this.#wake();
  }

  forget(speakerId: string): void {
    this.#pages.take((caption) => caption.speakerId === speakerId);
    this.#wake();
  }

  async settled(): Promise<void> {
    if (this.#isSettled()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settling.push(resolve);
    await promise;
  }

  async end(latestMs: number): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await waitUntil(this.#parts.clock, latestMs, this.settled());
    this.#end();
  }

  /** What changes in the same moment goes out together. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      this.#go();
    });
  }

  #go(): void {
    this.#takeBackTimer?.();
    this.#takeBackTimer = undefined;
    if (this.#isEnded || this.#isSending) return;
    const next = this.#next();
    if (!next) {
      this.#tellSettled();
      return;
    }
    const { clock } = this.#parts;
    const waitMs = next.dueMs - clock.nowMs();
    if (waitMs > 0) this.#takeBackTimer = clock.after(waitMs, () => this.#go());
    else void this.#send(next.page);
  }

  #wanted({ text, posted }: Page): string {
    return text === '' && posted && !this.#parts.port.remove ? NOTHING_LEFT : text;
  }

  /** The page to be sent next; fresh ones first and in order, then the one that waits longest. */
  #next(): { readonly page: Page; readonly dueMs: number } | undefined {
    const nowMs = this.#parts.clock.nowMs();
    let next: { readonly page: Page; readonly dueMs: number } | undefined;
    let isFreshSeen = false;
    for (const page of this.#pages.all) {
      if (this.#wanted(page) === page.shown || (!page.posted && isFreshSeen)) continue;
      isFreshSeen ||= !page.posted;
      const pace = page.posted ? this.#edits : this.#posts;
      const isUrgent = this.#isEnding || lastingIn(page) !== page.shownLasting;
      const evenlyMs = isUrgent ? nowMs : page.sentMs + pace.evenMs;
      const dueMs = Math.max(this.#blockedUntilMs, pace.freeAtMs(nowMs, isUrgent), evenlyMs);
      const isSooner =
        !next ||
        dueMs < next.dueMs ||
        (dueMs === next.dueMs && (!page.posted || page.sentMs < next.page.sentMs));
      if (isSooner) next = { page, dueMs };
    }
    return next;
  }

  async #send(page: Page): Promise<void> {
    const { clock, port } = this.#parts;
    const text = this.#wanted(page);
    const lasting = lastingIn(page);
    const finals = new Set(page.captions.filter(({ isFinal }) => isFinal).map(({ id }) => id));
    const { posted } = page;
    this.#isSending = true;
    page.isSent = true;
    try {
      if (!posted) {
        page.posted = await port.post({ text });
        page.openedMs = clock.nowMs();
      } else if (text !== '' || !port.remove) page.posted = await port.edit(posted, { text });
      else {
        await port.remove(posted);
        page.posted = undefined;
      }
      page.shown = text;
      page.shownFinals = finals;
      page.shownLasting = lasting;
      this.#failures = 0;
      this.#hinder(undefined);
      if (posted && !page.posted) this.#pages.drop(page, page.captions, clock.nowMs());
    } catch (thrown) {
      this.#failed(page, text, toAppError(thrown));
    }
    const nowMs = clock.nowMs();
    page.isSent = page.posted !== undefined;
    page.sentMs = nowMs;
    (posted ? this.#edits : this.#posts).used(nowMs);
    this.#isSending = false;
    this.#go();
  }

  #failed(page: Page, text: string, error: AppError): void {
    if (this.#isEnded) return;
    const { clock, log, gone } = this.#parts;
    const { code, message: reason, retryable, retryAfterMs } = error;
    const nowMs = clock.nowMs();
    if (code === 'not-found' && page.posted) {
      // Somebody deleted it: what stood there is not put up again, what did not yet goes on.
      const missing = page.captions.filter(({ id }) => !page.shownFinals.has(id));
      this.#pages.drop(page, missing, nowMs);
    } else if (code === 'not-found') {
      log.warn({ code, reason }, 'captions have no place any more');
      this.#end();
      gone?.(error);
    } else if (code === 'bad-input' || code === 'too-large' || code === 'unsupported') {
      // It would be refused again.
      log.warn({ code, reason }, 'a message of captions was refused');
      if (page.posted) page.shown = text;
      else this.#pages.drop(page, [], nowMs);
    } else {
      if (this.#failures === 0) log.warn({ code, reason }, 'captions wait to be shown');
      if (!retryable) this.#hinder(error);
      const waitMs = retryable ? backoffMs(BACKOFF, this.#failures) : BACKOFF.longestMs;
      this.#failures += 1;
      this.#blockedUntilMs = nowMs + (retryAfterMs ?? waitMs);
    }
  }

  #hinder(error: AppError | undefined): void {
    if (this.#isHindered === (error !== undefined)) return;
    this.#isHindered = error !== undefined;
    this.#parts.hindered?.(error);
  }

  #isSettled(): boolean {
    return this.#isEnded || (!this.#isWoken && !this.#isSending && !this.#next());
  }

  #tellSettled(): void {
    for (const settle of this.#settling.splice(0)) settle();
  }

  #end(): void {
    this.#isEnded = true;
    this.#takeBackTimer?.();
    this.#pages.clear();
    this.#tellSettled();
  }
}

/**
 * Shows captions in messages of one channel, which it edits while they are fresh. They stand in the
 * order in which they were spoken, over all messages; so does what comes late, up to 75 s after it was
 * begun to be spoken. What comes even later and belongs before the last two messages stands at the end.
 * Of a message that somebody deleted, what stood there is not shown again.
 */
export const createCaptionMessages = (deps: CaptionMessagesDeps): CaptionBoard => new Board(deps);
