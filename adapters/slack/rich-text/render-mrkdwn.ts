import {
  SEPARATOR,
  type Block,
  type Inline,
  type RichText,
  type StyleKind,
} from '../../../src/rich-text/rich-text.ts';
import { plainInline, timestampText } from '../../../src/rich-text/walk.ts';
import { DATE_FORMATS, escape } from './atoms.ts';
import { spaceOrSeparator, wordChar } from './parse-mrkdwn.ts';
import { reduceMrkdwn } from './reduce.ts';
import type { ReduceOptions } from '../../../src/rich-text/reduce.ts';

const MARKERS: Readonly<Record<StyleKind, string>> = {
  bold: '*',
  italic: '_',
  underline: '',
  strike: '~',
};

const special =
  /[*_~`&<>]|@(?=here|channel|everyone)|(?<=https?):(?=\/\/)|:(?=[\p{L}\p{M}\p{N}_'+-]{0,100}(?::|$))/giu;

/**
 * Escapes text so that nothing in it is markup; signs without an escape are followed by an
 * invisible separator.
 */
const textOf = (written: string, lineStart: boolean): string =>
  written.replaceAll(special, (sign, at: number) => {
    const before = written[at - 1];
    const after = written[at + sign.length];
    switch (sign) {
      case '&':
      case '<':
        return escape(sign);
      case '>': {
        const begins = before === '\n' || (before === undefined && lineStart);
        return begins ? SEPARATOR + escape(sign) : escape(sign);
      }
      case '@':
      case ':':
        return sign + SEPARATOR;
      default: {
        const opens = !wordChar.test(before ?? '') && !spaceOrSeparator.test(after ?? 'x');
        const closes = !wordChar.test(after ?? '') && !spaceOrSeparator.test(before ?? 'x');
        return sign === '`' || opens || closes ? SEPARATOR + sign + SEPARATOR : sign;
      }
    }
  });

const broadcast = /@(?=here|channel|everyone)/gi;

/** A text in which Slack finds no word that notifies everybody. */
export const withoutBroadcasts = (written: string): string =>
  written.replaceAll(broadcast, `@${SEPARATOR}`);

/** Escapes a label, which is not formatted, yet searched for names that notify. */
const labelOf = (written: string): string => withoutBroadcasts(escape(written));

class MrkdwnWriter {
  out = '';
  /** The last character written; reading it from `out` would copy the text each time. */
  #last = '\n';
  /** True after a closed marker or code: a word must not follow directly. */
  #closed = false;

  row(nodes: readonly Inline[]): void {
    for (const node of nodes) this.#node(node);
  }

  #put(written: string): void {
    if (written === '') return;
    if (this.#closed && wordChar.test(written[0] ?? '')) this.out += SEPARATOR;
    this.out += written;
    this.#last = written.at(-1) ?? '';
    this.#closed = false;
  }

  #open(marker: string): void {
    if (wordChar.test(this.#last) || this.#last === marker[0]) this.out += SEPARATOR;
    this.out += marker;
    this.#last = marker;
    this.#closed = false;
  }

  #close(marker: string): void {
    this.out += marker;
    this.#last = marker;
    this.#closed = true;
  }

  #node(node: Inline): void {
    switch (node.kind) {
      case 'text':
        return this.#put(textOf(node.text, this.#last === '\n'));
      case 'code':
        this.#open('`');
        this.out += escape(node.text);
        return this.#close('`');
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
        this.#open(MARKERS[node.kind]);
        this.row(node.children);
        return this.#close(MARKERS[node.kind]);
      case 'link': {
        const label = node.children.length > 0 ? `|${labelOf(plainInline(node.children))}` : '';
        return this.#put(`<${escape(node.url)}${label}>`);
      }
      case 'emoji':
        return this.#put(`:${node.name}:`);
      case 'timestamp': {
        const format = `${node.seconds}^${DATE_FORMATS[node.style]}`;
        return this.#put(`<!date^${format}|${escape(timestampText(node))}>`);
      }
      case 'mention':
        if (node.target === 'member') return this.#put(`<@${node.id}>`);
        if (node.target === 'channel') return this.#put(`<#${node.id}>`);
        if (node.target === 'group') return this.#put(`<!subteam^${node.id}>`);
        return this.#put(`<!${node.id}>`);
      case 'spoiler':
        return this.row(node.children);
    }
  }
}

const writeBlock = (block: Block): string => {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
    case 'subtext': {
      const writer = new MrkdwnWriter();
      writer.row(block.children);
      return writer.out;
    }
    case 'code-block':
      return `\`\`\`\n${escape(block.text).replaceAll(/`(?=`)/g, `\`${SEPARATOR}`)}\n\`\`\``;
    case 'quote':
      return `> ${block.children.map(writeBlock).join('\n').replaceAll('\n', '\n> ')}`;
    case 'list':
      return '';
  }
};

/**
 * Writes a tree as Slack's `mrkdwn`, for places where a `rich_text` block cannot stand. It escapes
 * only three signs, so an invisible separator keeps other markers apart from words. Without
 * `mayNotify` the result notifies nobody.
 */
export const renderMrkdwn = (tree: RichText, options: ReduceOptions = {}): string =>
  reduceMrkdwn(tree, options).map(writeBlock).join('\n');
