import type { MessageRef } from '../../../src/model/place.ts';
import { isOfSource, readFooter } from './footers.ts';

/**
 * Several copies in one message: each is a section that ends with its footer, and is found by it.
 * Also the one section that is left when others were taken away.
 */
export interface Section {
  readonly footer: string;
  /** Footer included. */
  readonly text: string;
}

export const readSections = (content: string): readonly Section[] => {
  const sections: Section[] = [];
  let lines: string[] = [];
  for (const line of content.split('\n')) {
    lines.push(line);
    const found = readFooter(line);
    if (!found) continue;
    sections.push({ footer: found.line, text: lines.join('\n') });
    lines = [];
  }
  return sections;
};

export const writeSections = (sections: readonly Section[]): string =>
  sections.map(({ text }) => text).join('\n');

/** Puts a section in the place of the one of the same source; undefined when there is none. */
export const replaceSection = (
  sections: readonly Section[],
  section: Section,
  source: MessageRef,
): readonly Section[] | undefined => {
  const exact = sections.findIndex(({ footer }) => footer === section.footer);
  const at = exact < 0 ? sections.findIndex(({ footer }) => isOfSource(footer, source)) : exact;
  return at < 0 ? undefined : sections.with(at, section);
};

export const withoutSource = (
  sections: readonly Section[],
  source: MessageRef,
): readonly Section[] => sections.filter(({ footer }) => !isOfSource(footer, source));
