import type { Json } from './json.ts';

/**
 * Draws Block Kit as text, about as Slack shows it: headings underlined, buttons in brackets, menus with
 * an arrow, fields as a line. Only what this program and the fake use is drawn.
 */

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []) as Json[];

const textOf = (value: unknown): string => {
  const { text } = (value ?? {}) as Json;
  return typeof text === 'string' ? text : '';
};

/** The first of these fields that is a text. */
const firstOf = (element: Json, ...names: readonly string[]): string =>
  names.map((name) => element[name]).find((value) => typeof value === 'string') ?? '';

const inlineText = (element: Json): string =>
  element['type'] === 'emoji'
    ? `:${firstOf(element, 'name')}:`
    : firstOf(element, 'text', 'url', 'fallback', 'range', 'channel_id', 'user_id');

const lineOf = (elements: unknown): string => listOf(elements).map(inlineText).join('');

const partLines = (part: Json): readonly string[] => {
  const { type, elements, indent = 0, style, offset = 0 } = part;
  if (type !== 'rich_text_list') {
    const before = { rich_text_quote: '│ ', rich_text_preformatted: '    ' }[String(type)] ?? '';
    return lineOf(elements)
      .split('\n')
      .map((line) => before + line);
  }
  return listOf(elements).map((item, index) => {
    const mark = style === 'ordered' ? `${Number(offset) + index + 1}.` : '•';
    return `${'  '.repeat(Number(indent))}${mark} ${lineOf(item['elements'])}`;
  });
};

const elementText = (element: Json): string => {
  const { type, initial_option, placeholder, initial_value, text, multiline, alt_text } = element;
  const shown = textOf((initial_option as Json | undefined)?.['text']) || textOf(placeholder);
  if (type === 'button') return `[ ${textOf(text)} ]`;
  if (type === 'image') return `(picture: ${String(alt_text)})`;
  if (type === 'file_input') return '[ Upload a file ]';
  if (String(type).endsWith('_input')) {
    const lines = multiline === true || type === 'rich_text_input' ? 2 : 1;
    const initial = typeof initial_value === 'string' ? initial_value : textOf(placeholder);
    return [initial, ...Array(lines - 1).fill('')]
      .map((line: string) => `| ${line.padEnd(60)} |`)
      .join('\n');
  }
  const chosen = listOf(element['initial_options']).map((option) => textOf(option['text']));
  const offered = String(type).includes('conversations') ? 'a conversation' : 'an option';
  return `[ ${chosen.join(', ') || shown || `Choose ${offered}`} ▾ ]`;
};

const blockLines = (block: Json): readonly string[] => {
  const { type, text, accessory, elements, element, label, hint, optional, alt_text } = block;
  switch (type) {
    case 'header':
      return ['', textOf(text), '='.repeat(textOf(text).length)];
    case 'rich_text':
      return listOf(elements).flatMap(partLines);
    case 'section':
      return [
        textOf(text) + (accessory ? `   ${elementText(accessory as Json)}` : ''),
        ...listOf(block['fields']).map(textOf),
      ];
    case 'actions':
      return [listOf(elements).map(elementText).join('  ')];
    case 'context':
      return [
        listOf(elements)
          .map((each) => (each['type'] === 'image' ? elementText(each) : textOf(each)))
          .join(' '),
      ];
    case 'image':
      return [`(picture: ${String(alt_text)})`];
    case 'divider':
      return ['—'.repeat(20)];
    case 'input':
      return [
        `${textOf(label)}${optional === true ? ' (optional)' : ''}`,
        ...elementText(element as Json).split('\n'),
        ...(hint === undefined ? [] : [`  ${textOf(hint)}`]),
        '',
      ];
    default:
      return [textOf(text)];
  }
};

/** Draws blocks as lines of text. */
export const pictureOfBlocks = (blocks: readonly Json[]): string =>
  blocks.flatMap(blockLines).join('\n').trim();

/** Draws a modal with its title and buttons, or App Home. */
export const pictureOfView = ({ title, submit, close, blocks }: Json): string => {
  const body = pictureOfBlocks(listOf(blocks));
  const ends = [close, submit].filter(Boolean).map((button) => `[ ${textOf(button)} ]`);
  return title === undefined
    ? body
    : [textOf(title), '-'.repeat(textOf(title).length), '', body, '', ends.join('  ')].join('\n');
};
