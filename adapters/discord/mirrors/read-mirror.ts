import type { MessageRef } from '../../../src/model/place.ts';
import { isOfSource, readFooter } from './footers.ts';
import { readSections } from './sections.ts';

/** What a copy of ours says, without what was put around it. */
export interface Said {
  /** Where the bot itself shows the copy: whose words they are. */
  readonly name?: string;
  readonly text: string;
}

/** Leads to what a copy answers to, or says that it was forwarded. */
const leading = /^(?:-# ↪[^\n]*(?:\n|$))+/;
const named = /^\*\*(?<name>(?:\\.|[^\\*\n])+)\*\*:\s?/;
const escaped = /\\([\\`*_~|<>[\]()#])/g;

/**
 * @param of the source whose copy is meant, where several stand in one message
 * @param byBot whether the bot says whose words they are, as a webhook need not
 */
export const saidIn = (content: string, byBot: boolean, of?: MessageRef): Said => {
  const own = of && readSections(content).find(({ footer }) => isOfSource(footer, of));
  const lines = (own?.text ?? content).split('\n');
  const words = lines.filter((line) => !readFooter(line));
  const text = words.join('\n').replace(leading, '');
  // Whatever has no footer is no copy under a name.
  const name =
    byBot && words.length < lines.length ? named.exec(text)?.groups?.['name'] : undefined;
  return name === undefined
    ? { text }
    : { text: text.replace(named, ''), name: name.replaceAll(escaped, '$1') };
};
