import type { Mirror } from '../../../src/ports/mirrors.ts';
import { CONTENT_CHARS } from '../limits.ts';
import { writeSections, type Section } from './footers.ts';
import { partsOf, sectionOf, type WriterKind } from './parts.ts';

/** Mirrors that are posted together. */
export interface Batch {
  /** Writer of the messages; a reply is posted by the bot. */
  readonly by: 'reply' | WriterKind;
  readonly mirrors: readonly [Mirror, ...Mirror[]];
  /** Sections of mirrors that share a message; empty where the only mirror has messages of its own. */
  readonly sections: readonly Section[];
}

/** Puts consecutive mirrors into one message where they may share one and it stays within the limit. */
const gather = (
  mirrors: readonly Mirror[],
  by: WriterKind,
  mayShare: (a: Mirror, b: Mirror) => boolean,
): Batch[] => {
  const batches: { by: WriterKind; mirrors: [Mirror, ...Mirror[]]; sections: Section[] }[] = [];
  for (const mirror of mirrors) {
    const section = sectionOf(mirror, by);
    const last = batches.at(-1);
    const joins =
      section &&
      last?.sections.length &&
      mayShare(last.mirrors[0], mirror) &&
      writeSections([...last.sections, section]).length <= CONTENT_CHARS;
    if (joins) {
      last.mirrors.push(mirror);
      last.sections.push(section);
    } else batches.push({ by, mirrors: [mirror], sections: section ? [section] : [] });
  }
  // A webhook's only mirror needs no section; the bot's message may be shared later.
  return batches.map((batch) =>
    by === 'webhook' && batch.mirrors.length === 1 ? { ...batch, sections: [] } : batch,
  );
};

const isSamePersona = (a: Mirror, b: Mirror): boolean =>
  a.as?.name === b.as?.name && a.as?.avatarUrl === b.as?.avatarUrl;

/** Number of webhook messages of a batch. */
const postsOf = ({ mirrors: [mirror], sections }: Batch): number => {
  if (sections.length > 0) return 1;
  const { voice, texts } = partsOf(mirror, 'webhook');
  return voice.length + texts.length;
};

/** Plans mirrors under their authors' names, in order, with as many webhook posts as `room` allows. */
const planPersonas = (mirrors: readonly Mirror[], room: number): Batch[] => {
  const alone = mirrors.map((mirror): Batch => ({
    by: 'webhook',
    mirrors: [mirror],
    sections: [],
  }));
  if (alone.reduce((sum, batch) => sum + postsOf(batch), 0) <= room) return alone;
  const batches: Batch[] = [];
  let left = room;
  let over: Mirror[] = [];
  const flush = (): void => {
    batches.push(...gather(over, 'bot', () => true));
    over = [];
  };
  for (const batch of gather(mirrors, 'webhook', isSamePersona)) {
    const posts = postsOf(batch);
    if (posts > left) over.push(...batch.mirrors);
    else {
      flush();
      left -= posts;
      batches.push(batch);
    }
  }
  flush();
  return batches;
};

/**
 * Plans how mirrors are posted when webhooks may post `room` messages: each on its own while that
 * is enough; otherwise consecutive mirrors of one person together, and the rest by the bot, several
 * people in a message. The order stays.
 */
export const planBatches = (mirrors: readonly Mirror[], room: number): readonly Batch[] => {
  const batches: Batch[] = [];
  let personas: Mirror[] = [];
  const flush = (): void => {
    if (personas.length === 0) return;
    const used = batches.reduce(
      (sum, batch) => sum + (batch.by === 'webhook' ? postsOf(batch) : 0),
      0,
    );
    batches.push(...planPersonas(personas, room - used));
    personas = [];
  };
  for (const mirror of mirrors) {
    if (mirror.as) personas.push(mirror);
    else {
      flush();
      batches.push({ by: 'reply', mirrors: [mirror], sections: [] });
    }
  }
  flush();
  return batches;
};
