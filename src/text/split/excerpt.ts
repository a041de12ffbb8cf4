import { muteLeftovers, nameMentions } from '../markup/mentions.ts';
import type { MentionNames } from '../../model/mention.ts';
import { flatten } from '../markup/plain-line.ts';
import { shorten } from './shorten.ts';
import type { Span } from '../markup/span.ts';
import { findSpans } from '../markup/spans.ts';
import { hostOf, timeOf } from '../speech/spoken-spans.ts';

export interface ExcerptOptions {
  readonly names?: MentionNames;
  /** For times. Default English. */
  readonly locale?: string;
}

const HIDDEN = '▒▒▒';
/** Markup and addresses take several times the room of what is seen of them. */
const READ_PER_CHAR = 20;
const LEAST_READ = 4_000;

const fence = /^`{3,}(?:[\w+\-.#]{1,32}\n)?|`{3,}$/g;
const ticks = /^`+|`+$/g;

const shown = (span: Span, written: string, { names, locale }: ExcerptOptions): string => {
  switch (span.kind) {
    case 'code-block':
      return ` ${written.replaceAll(fence, '')} `;
    case 'code':
      return written.replaceAll(ticks, '');
    case 'url':
      return hostOf(written);
    case 'mention':
      return nameMentions(written, names ?? (() => undefined), flatten);
    case 'timestamp':
      return timeOf(written, locale);
    case 'custom-emoji':
      return `:${written.split(':')[1] ?? ''}:`;
    case 'emphasis':
    case 'spoiler':
    case 'link':
    case 'line-marker':
      return '';
    case 'email':
    case 'emoji':
    case 'shortcode':
    case 'bracket':
    case 'term':
      return written;
  }
};

/** What is read of a long text: not into a spoiler whose end was not read. */
const sampleOf = (text: string, chars: number): string => {
  const sample = text.slice(0, Math.max(LEAST_READ, chars * READ_PER_CHAR));
  const isEvenlyHidden = sample.split('||').length % 2 === 1;
  return sample.length === text.length || isEvenlyHidden
    ? sample
    : sample.slice(0, sample.lastIndexOf('||'));
};

/**
 * One line of a message, without markup, mentions, addresses or what is hidden as a spoiler, of at
 * most `chars` UTF-16 units; a longer one ends with `…` after a whole grapheme. It is plain text: for
 * use in Markdown it goes through `plainLine`.
 */
export const excerpt = (text: string, chars: number, options: ExcerptOptions = {}): string => {
  const sample = sampleOf(text, chars);
  let line = '';
  let from = 0;
  let hiddenBy: number | undefined;
  for (const span of findSpans(sample)) {
    if (hiddenBy === undefined) line += sample.slice(from, span.start);
    from = span.end;
    if (span.kind === 'spoiler' && hiddenBy === undefined) {
      hiddenBy = span.pair;
      line += HIDDEN;
    } else if (span.kind === 'spoiler' && hiddenBy === span.pair) hiddenBy = undefined;
    else if (hiddenBy === undefined)
      line += shown(span, sample.slice(span.start, span.end), options);
  }
  if (hiddenBy === undefined) line += sample.slice(from);
  const muted = muteLeftovers(flatten(line));
  return shorten(sample.length < text.length ? `${muted.trimEnd()}…` : muted, chars);
};
