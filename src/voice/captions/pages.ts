import type { Posted } from '../../model/place.ts';
import type { Paragraph } from '../../rich-text/rich-text.ts';
import { createLru } from '../../async/lru.ts';
import { isBefore, type Caption } from './caption.ts';
import { renderCaptions, writtenUnits, type RenderOptions } from './render.ts';

export interface PageLimits {
  /** Most UTF-16 units in a message, as its platform writes it. */
  readonly chars: number;
  readonly lines: number;
  /** Longest time for which a message is continued. */
  readonly ageMs: number;
  /** Longest pause after which speech is added to the same message. */
  readonly newPageAfterMs: number;
}

/** The content of one message, posted or not. */
export interface Page {
  /** Captions in the order in which they were spoken; very late ones in order of arrival. */
  captions: Caption[];
  text: readonly Paragraph[];
  /** Time at which the message was posted; before that, the time at which the page was started. */
  openedMs: number;
  /** Time at which the end of the page last changed. */
  changedMs: number;
  /** True when no more captions are added at the end. */
  isClosed: boolean;
  posted: Posted | undefined;
  /** True when the message is posted, or being posted. */
  isSent: boolean;
  /** Lines that the message shows, as far as is known. */
  shown: readonly Paragraph[];
  /** Captions in `shown` that were final. */
  shownFinals: ReadonlySet<number>;
  /** Parts of `shown` that do not change any more. */
  shownLasting: string;
  sentMs: number;
}

/** Longest time after the first word for which a caption is placed in order. */
const LATE_MS = 75_000;
/** Bounds on the messages that are edited: a channel takes fewer in `LATE_MS`. */
const LONGEST_EDITED_MS = 3_600_000;
const MOST_PAGES = 100;
/** Most captions that are remembered as placed out of order. */
const MOST_STRAYS = 200;
/** Length of most translations at most, as a multiple of the original. */
const RESERVE = 1.2;

type Moment = Pick<Caption, 'startMs' | 'id'>;

const awaitedChars = ({ text, translations }: Caption): number => {
  let units = 0;
  for (const translation of translations.values())
    if (!translation.done) units += Math.max(0, text.length * RESERVE - translation.text.length);
  return units;
};

/** Lays captions out in messages. */
export class Pages {
  readonly #limits: PageLimits;
  readonly #options: RenderOptions;
  #pages: Page[] = [];
  #lastDropped: Moment | undefined;
  /** Very late captions, which are placed as if spoken on arrival: nobody reads further back. */
  readonly #strays = createLru<number, Moment>(MOST_STRAYS);

  constructor(limits: PageLimits, options: RenderOptions) {
    this.#limits = limits;
    this.#options = options;
  }

  get all(): readonly Page[] {
    return this.#pages;
  }

  has(id: number): boolean {
    return this.#pages.some(({ captions }) => captions.some((caption) => caption.id === id));
  }

  /** Puts a caption in its place, or in place of the one with the same id. */
  put(caption: Caption, nowMs: number): void {
    for (const page of this.#pages) {
      const at = page.captions.findIndex(({ id }) => id === caption.id);
      if (at < 0) continue;
      if (page.captions[at]?.startMs === caption.startMs) {
        page.captions[at] = caption;
        if (at === page.captions.length - 1) page.changedMs = nowMs;
        this.#overflow(page, nowMs);
        return;
      }
      page.captions.splice(at, 1);
      this.#write(page);
    }
    this.#sweep();
    this.#strays.delete(caption.id);
    const page = this.#placeFor(caption, nowMs) ?? this.#astray(caption, nowMs);
    const at = page.captions.findLastIndex((each) => this.#isBefore(each, caption)) + 1;
    if (at === page.captions.length) page.changedMs = nowMs;
    page.captions.splice(at, 0, caption);
    this.#overflow(page, nowMs);
  }

  removeWhere(isTaken: (caption: Caption) => boolean): void {
    for (const page of this.#pages) {
      if (!page.captions.some(isTaken)) continue;
      page.captions = page.captions.filter((caption) => !isTaken(caption));
      this.#write(page);
    }
    this.#sweep();
  }

  /** Removes a page whose message is gone; the captions in `goesOn` move to other pages. */
  drop(page: Page, goesOn: readonly Caption[], nowMs: number): void {
    const at = this.#pages.indexOf(page);
    if (at < 0) return;
    const next = this.#pages[at + 1];
    this.#pages.splice(at, 1);
    const last = this.#pages.at(-1);
    if (next) {
      next.captions.unshift(...goesOn);
      this.#overflow(next, nowMs);
    } else {
      if (last) last.isClosed = true;
      for (const caption of goesOn) this.put(caption, nowMs);
    }
  }

  clear(): void {
    this.#pages = [];
  }

  #isBefore(a: Moment, b: Moment): boolean {
    return isBefore(this.#strays.get(a.id) ?? a, this.#strays.get(b.id) ?? b);
  }

  /** The page to which a caption belongs by its time; undefined when that page was dropped. */
  #placeFor(caption: Caption, nowMs: number): Page | undefined {
    const filled = this.#pages.filter(({ captions }) => captions.length > 0);
    const at = filled.findLastIndex(({ captions }) => this.#isBefore(captions[0]!, caption));
    const [before, after] = [at, at + 1].map((index) =>
      index >= filled.length - 2 || nowMs - (filled[index]?.changedMs ?? 0) <= LATE_MS
        ? filled[index]
        : undefined,
    );
    const last = filled[at]?.captions.at(-1) ?? this.#lastDropped;
    if (last && this.#isBefore(caption, last)) return before;
    if (at === filled.length - 1) return this.#atEnd(caption, nowMs);
    const isFollowing =
      before !== undefined &&
      caption.startMs - before.captions.at(-1)!.endMs <= this.#limits.newPageAfterMs;
    return isFollowing ? before : after;
  }

  #astray(caption: Caption, nowMs: number): Page {
    this.#strays.set(caption.id, { startMs: nowMs, id: caption.id });
    return this.#atEnd(caption, nowMs);
  }

  #atEnd(caption: Caption, nowMs: number): Page {
    const last = this.#pages.at(-1);
    return last && this.#takesMore(last, caption, nowMs) ? last : this.#open(nowMs);
  }

  #takesMore(page: Page, caption: Caption, nowMs: number): boolean {
    const { chars, lines, ageMs, newPageAfterMs } = this.#limits;
    if (page.isClosed) return false;
    if (page.posted && (nowMs - page.openedMs > ageMs || nowMs - page.changedMs > newPageAfterMs))
      return false;
    if (page.captions.length === 0) return true;
    const captions = [...page.captions, caption];
    const text = renderCaptions(captions, this.#options);
    const awaited = captions.reduce((sum, each) => sum + awaitedChars(each), 0);
    return writtenUnits(text) + awaited <= chars && text.length <= lines;
  }

  #open(nowMs: number): Page {
    const page: Page = {
      captions: [],
      text: [],
      openedMs: nowMs,
      changedMs: nowMs,
      isClosed: false,
      posted: undefined,
      isSent: false,
      shown: [],
      shownFinals: new Set(),
      shownLasting: '',
      sentMs: Number.NEGATIVE_INFINITY,
    };
    const isRecent = ({ openedMs }: Page): boolean => nowMs - openedMs <= LONGEST_EDITED_MS;
    const before = this.#pages.slice(0, -1);
    const recent = before.filter(isRecent).slice(2 - MOST_PAGES);
    const gone = before.findLast((each) => !recent.includes(each) && each.captions.length > 0);
    this.#lastDropped = gone?.captions.at(-1) ?? this.#lastDropped;
    this.#pages = [...recent, ...this.#pages.slice(-1), page];
    return page;
  }

  /** Removes empty pages that were never posted. */
  #sweep(): void {
    this.#pages = this.#pages.filter(
      (page, at) => page.isSent || page.captions.length > 0 || at === this.#pages.length - 1,
    );
  }

  #write(page: Page): void {
    page.text = renderCaptions(page.captions, this.#options);
  }

  /** Moves captions that do not fit into the next page. */
  #overflow(from: Page, nowMs: number): void {
    const { chars, lines } = this.#limits;
    const isTooLong = ({ text }: Page): boolean =>
      writtenUnits(text) > chars || text.length > lines;
    let page: Page | undefined = from;
    while (page) {
      this.#write(page);
      let next: Page | undefined;
      while (page.captions.length > 1 && isTooLong(page)) {
        const last: Caption = page.captions.pop() as Caption;
        next = this.#pages[this.#pages.indexOf(page) + 1] ?? this.#open(nowMs);
        next.captions.unshift(last);
        this.#write(page);
      }
      page = next;
    }
  }
}
