import type { Posted } from '../../model.ts';
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
  /** In the order in which they were spoken, but for what came much too late. */
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
  shownSettled: string;
  /** When it was last sent. */
  sentMs: number;
}

/** Messages of so long ago are let alone, and so are those before the last of this number. */
const KEPT_MS = 3_600_000;
const KEPT_PAGES = 20;
/** What comes late finds its place in a message that was begun so lately, or in the last but one. */
const FRESH_MS = 45_000;
/** Translations that are awaited are mostly no longer than so many times their original. */
const RESERVE = 1.2;

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
        this.#settle(page, nowMs);
        return;
      }
      page.captions.splice(at, 1);
      this.#write(page);
    }
    this.#sweep();
    const { page, isStray = false } = this.#placeFor(caption, nowMs);
    const last = page.captions.length - 1;
    const after = isStray ? last : page.captions.findLastIndex((each) => isBefore(each, caption));
    const at = after + 1;
    page.captions.splice(at, 0, caption);
    if (after === last) page.fedMs = nowMs;
    this.#settle(page, nowMs);
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
      this.#settle(next, nowMs);
    } else {
      if (last) last.isClosed = true;
      for (const caption of goesOn) this.put(caption, nowMs);
    }
  }

  clear(): void {
    this.#pages = [];
  }

  /** A stray one is much too late, and stands at the end: nobody reads further back. */
  #placeFor(caption: Caption, nowMs: number): { readonly page: Page; readonly isStray?: boolean } {
    const filled = this.#pages.filter(({ captions }) => captions.length > 0);
    const isLate = (page: Page | undefined, end: 0 | -1): boolean => {
      const edge = page?.captions.at(end);
      return edge !== undefined && isBefore(caption, edge);
    };
    const isInReach = (index: number): boolean =>
      index >= filled.length - 2 || nowMs - filled[index]!.openedMs <= FRESH_MS;
    let isStray = false;
    if (isLate(filled.at(-1), -1)) {
      let at = filled.length - 1;
      while (at > 0 && isLate(filled[at], 0) && isInReach(at - 1)) at -= 1;
      if (at === 0 || !isLate(filled[at], 0)) return { page: filled[at]! };
      isStray = true;
    }
    const last = this.#pages.at(-1);
    const takesIt = last !== undefined && this.#takesMore(last, caption, nowMs);
    return { page: takesIt ? last : this.#open(nowMs), isStray };
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
      shownSettled: '',
      sentMs: Number.NEGATIVE_INFINITY,
    };
    const isKept = ({ openedMs }: Page): boolean => nowMs - openedMs <= KEPT_MS;
    const [before] = this.#pages.splice(-1);
    this.#pages = [
      ...this.#pages.filter(isKept).slice(2 - KEPT_PAGES),
      ...(before ? [before] : []),
      page,
    ];
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
  #settle(from: Page, nowMs: number): void {
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
