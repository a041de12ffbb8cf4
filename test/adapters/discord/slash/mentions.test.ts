import { describe, expect, it } from 'vitest';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { renderWithMentions } from '../../../../adapters/discord/rich-text/render.ts';
import {
  createCommandMentions,
  type RegisteredCommand,
} from '../../../../adapters/discord/slash/mentions.ts';
import { lines, sentence } from '../../../../src/rich-text/compose.ts';
import { code, ownCommand, type RichText } from '../../../../src/rich-text/rich-text.ts';

const registered = [
  { id: '11', type: 1, name: 'help', options: [{ type: 3, name: 'command' }] },
  { id: '12', type: 1, name: 'glossary', options: [{ type: 1, name: 'add' }] },
  { id: '13', type: 1, name: 'autotranslate', options: [{ type: 1, name: 'panel' }] },
  { id: '14', type: 3, name: 'translate' },
] as const satisfies readonly RegisteredCommand[];
const infos = [{ name: 'help' }, { name: 'autotranslate panel', alone: true }] as const;

const open = () => {
  const mentions = createCommandMentions();
  const written = (text: RichText): string => renderWithMentions(mentions.on({ text }).text);
  return {
    mentions,
    written,
    command: (...of: Parameters<typeof ownCommand>) => written(sentence(ownCommand(...of))),
  };
};

describe('our commands in a text', () => {
  it('can be pressed once their ids are known, whatever they are called in a language', () => {
    const { mentions, command } = open();
    expect(command('help', 'hilfe')).toBe('`/hilfe`');
    mentions.learn(registered, infos);
    expect(command('help', 'hilfe')).toBe('</help:11>');
    expect(command('glossary add', 'glossar hinzufügen')).toBe('</glossary add:12>');
  });

  it('are code where Discord has no such command', () => {
    const { mentions, command } = open();
    mentions.learn(registered, infos);
    for (const name of ['glossary', 'glossary remove', 'translate', 'help command'])
      expect(command(name)).toBe(`\`/${name}\``);
    mentions.learn([], infos);
    expect(command('help')).toBe('`/help`');
  });

  it('that are typed alone are those that they run', () => {
    const { mentions, command } = open();
    mentions.learn(registered, infos);
    expect(command('autotranslate')).toBe('</autotranslate panel:13>');
  });

  it('are never what people wrote', () => {
    const { mentions, written } = open();
    mentions.learn(registered, infos);
    const theirs = sentence('</help:11> ', code('/help'), ' `/help` <\\/help:11>');
    expect(parseDiscord(written(theirs)).flatMap((block) => JSON.stringify(block))).not.toContain(
      '"mention"',
    );
    const both = lines(theirs, sentence(ownCommand('help')));
    expect(written(both).match(/(?<!\\)<\/help:11>/g)).toHaveLength(1);
  });
});
