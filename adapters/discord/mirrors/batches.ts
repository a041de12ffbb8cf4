import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { personaParts, sectionOf, type Writer } from './mirror-parts.ts';
import { CONTENT_CHARS } from '../limits.ts';
import type { Section } from './sections.ts';

/** What is posted in one go. */
export type Batch =
  | { readonly how: 'reply' | Writer; readonly copies: readonly [Mirror] }
  /** One message of several sections; also one section alone, posted by the bot. */
  | {
      readonly how: 'shared';
      readonly by: Writer;
      readonly copies: readonly Mirror[];
      readonly sections: readonly Section[];
    };

const isSamePersona = (a: Mirror, b: Mirror): boolean =>
  a.as?.name === b.as?.name && a.as?.avatarUrl === b.as?.avatarUrl;

interface Group {
  readonly copies: Mirror[];
  readonly sections: Section[];
}

const lengthOf = ({ sections }: Group): number =>
  sections.reduce((sum, { text }) => sum + text.length + 1, 0);

/** Puts neighbours together where both may share a message and it stays within the limit. */
const gather = (
  copies: readonly Mirror[],
  by: Writer,
  together: (a: Mirror, b: Mirror) => boolean,
): Group[] => {
  const groups: Group[] = [];
  for (const copy of copies) {
    const section = sectionOf(copy, by);
    const last = groups.at(-1);
    const before = last?.copies.at(-1);
    const joins =
      section &&
      last &&
      before &&
      last.sections.length > 0 &&
      together(before, copy) &&
      lengthOf(last) + section.text.length <= CONTENT_CHARS;
    if (joins) {
      last.copies.push(copy);
      last.sections.push(section);
    } else groups.push({ copies: [copy], sections: section ? [section] : [] });
  }
  return groups;
};

const postsOf = (copy: Mirror): number => {
  const { voice, texts } = personaParts(copy, 'webhook');
  return voice.length + texts.length;
};

const batchOf = ({ copies, sections }: Group, by: Writer): Batch =>
  sections.length > 1 || (by === 'bot' && sections.length > 0)
    ? { how: 'shared', by, copies, sections }
    : { how: by, copies: [copies[0] as Mirror] };

/** Copies under names, in their order, with as many webhook posts as there is room for. */
const planPersonas = (
  copies: readonly Mirror[],
  room: number,
): { batches: Batch[]; left: number } => {
  const cost = copies.reduce((sum, copy) => sum + postsOf(copy), 0);
  if (cost <= room)
    return {
      batches: copies.map((copy) => ({ how: 'webhook', copies: [copy] })),
      left: room - cost,
    };
  const batches: Batch[] = [];
  let left = room;
  let over: Mirror[] = [];
  const flush = (): void => {
    for (const group of gather(over, 'bot', () => true)) batches.push(batchOf(group, 'bot'));
    over = [];
  };
  for (const group of gather(copies, 'webhook', isSamePersona)) {
    const needs = group.copies.length > 1 ? 1 : postsOf(group.copies[0] as Mirror);
    if (needs > left) over.push(...group.copies);
    else {
      flush();
      left -= needs;
      batches.push(batchOf(group, 'webhook'));
    }
  }
  flush();
  return { batches, left };
};

/**
 * How copies are posted when webhooks may post `room` messages: each on its own while that is
 * enough; otherwise neighbours of one person together, and the rest by the bot, several people to a
 * message. The order stays.
 */
export const planBatches = (copies: readonly Mirror[], room: number): readonly Batch[] => {
  const batches: Batch[] = [];
  let left = room;
  let personas: Mirror[] = [];
  const flush = (): void => {
    const planned = planPersonas(personas, left);
    batches.push(...planned.batches);
    left = planned.left;
    personas = [];
  };
  for (const copy of copies) {
    if (copy.as) personas.push(copy);
    else {
      flush();
      batches.push({ how: 'reply', copies: [copy] });
    }
  }
  flush();
  return batches;
};
