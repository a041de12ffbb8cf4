import type { Posted } from '../../model/place.ts';
import { createLru } from '../../async/lru.ts';
import { isBefore, type Caption } from './caption.ts';
import { renderCaptions, type RenderOptions } from './render.ts';

export interface PageLimits {
  /** UTF-16 units. */
  readonly chars: number;
  readonly lines: number;
  /** A message is continued for so long. */
  readonly ageMs: number;
  /** After a longer pause what is said stands in a fresh message. */
  readonly pauseMs: number;
}

/** What is or will be one message. */
export interface Page {
  /** In the order in which they were spoken; what came much too late, when it came. */
  captions: Caption[];
  /** What the message is to show. */
  text: string;
  /** When its message was posted; until then, when it was begun. */
  openedMs: number;
  /** When something last changed at its end. */
  fedMs: number;
  /** Nothing more is put in at its end. */
  isClosed: boolean;
  posted: Posted | undefined;
  /** It is on its way there, or there. */
  isSent: boolean;
  /** What the message shows, as far as is known. */
  shown: string;
  /** Of the captions in `shown`, those that were final. */
  shownFinals: ReadonlySet<number>;
  /** What of `shown` does not change any more. */
  shownLasting: string;
  /** When it was last sent. */
  sentMs: number;
}

/**
 * Longer than an utterance and its recognition take together at most. What comes no later than that
 * after its first word stands where it belongs, whatever was posted since.
 */
const LATE_MS = 75_000;
/**
 * Messages of so long ago are let alone, and so are those before the last of this number: more than a
 * channel takes in `LATE_MS`.
 */
const KEPT_MS = 3_600_000;
const KEPT_PAGES = 100;
/** Captions that stand at another place than where they were spoken. */
const MOST_STRAYS = 200;
/** Translations that are awaited are mostly no longer than so many times their original. */
const RESERVE = 1.2;

type Moment = Pick<Caption, 'startMs' | 'id'>;

const linesIn = (text: string): number => text.split('\n').length;

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
  /** What stood last in the pages that are not at hand any more. */
  #letGo: Moment | undefined;
  /** What came much too late stands as if it had been said when it came: nobody reads further back. */
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

  /** Puts a caption in its place, or in place of its former self. */
  put(caption: Caption, nowMs: number): void {
    for (const page of this.#pages) {
      const at = page.captions.findIndex(({ id }) => id === caption.id);
      if (at < 0) continue;
      if (page.captions[at]?.startMs === caption.startMs) {
        page.captions[at] = caption;
        if (at === page.captions.length - 1) page.fedMs = nowMs;
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
    if (at === page.captions.length) page.fedMs = nowMs;
    page.captions.splice(at, 0, caption);
    this.#overflow(page, nowMs);
  }

  /** Takes captions out. */
  take(isTaken: (caption: Caption) => boolean): void {
    for (const page of this.#pages) {
      if (!page.captions.some(isTaken)) continue;
      page.captions = page.captions.filter((caption) => !isTaken(caption));
      this.#write(page);
    }
    this.#sweep();
  }

  /** A page has no message any more, and what of it is to be shown goes on elsewhere. */
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

  /** The page at whose end, beginning or inside it was spoken; undefined where that is long ago. */
  #placeFor(caption: Caption, nowMs: number): Page | undefined {
    const filled = this.#pages.filter(({ captions }) => captions.length > 0);
    const at = filled.findLastIndex(({ captions }) => this.#isBefore(captions[0]!, caption));
    const [before, after] = [at, at + 1].map((index) =>
      index >= filled.length - 2 || nowMs - (filled[index]?.fedMs ?? 0) <= LATE_MS
        ? filled[index]
        : undefined,
    );
    const last = filled[at]?.captions.at(-1) ?? this.#letGo;
    if (last && this.#isBefore(caption, last)) return before;
    if (at === filled.length - 1) return this.#atEnd(caption, nowMs);
    const isFollowing =
      before !== undefined &&
      caption.startMs - before.captions.at(-1)!.endMs <= this.#limits.pauseMs;
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
    const { chars, lines, ageMs, pauseMs } = this.#limits;
    if (page.isClosed) return false;
    if (page.posted && (nowMs - page.openedMs > ageMs || nowMs - page.fedMs > pauseMs))
      return false;
    if (page.captions.length === 0) return true;
    const captions = [...page.captions, caption];
    const text = renderCaptions(captions, this.#options);
    const awaited = captions.reduce((sum, each) => sum + awaitedChars(each), 0);
    return text.length + awaited <= chars && linesIn(text) <= lines;
  }

  #open(nowMs: number): Page {
    const page: Page = {
      captions: [],
      text: '',
      openedMs: nowMs,
      fedMs: nowMs,
      isClosed: false,
      posted: undefined,
      isSent: false,
      shown: '',
      shownFinals: new Set(),
      shownLasting: '',
      sentMs: Number.NEGATIVE_INFINITY,
    };
    const isKept = ({ openedMs }: Page): boolean => nowMs - openedMs <= KEPT_MS;
    const before = this.#pages.slice(0, -1);
    const kept = before.filter(isKept).slice(2 - KEPT_PAGES);
    const gone = before.findLast((each) => !kept.includes(each) && each.captions.length > 0);
    this.#letGo = gone?.captions.at(-1) ?? this.#letGo;
    this.#pages = [...kept, ...this.#pages.slice(-1), page];
    return page;
  }

  /** Takes out what was never posted and need not be any more. */
  #sweep(): void {
    this.#pages = this.#pages.filter(
      (page, at) => page.isSent || page.captions.length > 0 || at === this.#pages.length - 1,
    );
  }

  #write(page: Page): void {
    page.text = renderCaptions(page.captions, this.#options);
  }

  /** What does not fit moves on into the next page. */
  #overflow(from: Page, nowMs: number): void {
    const { chars, lines } = this.#limits;
    let page: Page | undefined = from;
    while (page) {
      this.#write(page);
      let next: Page | undefined;
      while (page.captions.length > 1 && (page.text.length > chars || linesIn(page.text) > lines)) {
        const last: Caption = page.captions.pop() as Caption;
        next = this.#pages[this.#pages.indexOf(page) + 1] ?? this.#open(nowMs);
        next.captions.unshift(last);
        this.#write(page);
      }
      page = next;
    }
  }
}
