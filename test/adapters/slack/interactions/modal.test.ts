import { describe, expect, it } from 'vitest';
import { needsModal } from '../../../../adapters/slack/interactions/command-use.ts';
import { commandModal, enteredValues } from '../../../../adapters/slack/interactions/modal.ts';
import { describeAction, actionsOf } from '../../../../src/command/catalogue.ts';
import { commandFault, type Command } from '../../../../src/command/command.ts';
import { discover } from '../../../../src/app/modules.ts';
import { NAMING } from '../../../../adapters/slack/manifest.ts';
import { TITLE_CHARS } from '../../../../adapters/slack/limits.ts';
import type { CommandInfo } from '../../../../src/model/command-info.ts';
import { checkView } from '../../../fakes/slack/blocks.ts';
import type { Json } from '../../../fakes/slack/json.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const commands = await discover<Command>('commands', commandFault);
const labels = texts.in('en');

const infosIn = (locale: string) =>
  commands
    .flatMap(actionsOf)
    .map((named) => describeAction(named, texts, locale, { naming: NAMING, hasRooms: false }));

const infoOf = (name: string) => infosIn('en').find((info) => info.name === name)!;

const elementsOf = (view: object): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    ((view as Json)['blocks'] as readonly Json[]).map((block) => [
      String(block['block_id']),
      block['element'] as Json,
    ]),
  );

describe('the modal of a command', () => {
  it.each(texts.locales)('is one that Slack shows, for every command: %s', (locale) => {
    for (const info of infosIn(locale))
      if (info.options.length > 0) checkView(commandModal(info, {}, '{}', labels), 'modal');
  });

  it('is one that Slack shows with all that was typed already', () => {
    const long = 'x'.repeat(5_000);
    const choice = { value: 'es', label: 'Spanish' };
    for (const info of infosIn('en')) {
      const given = Object.fromEntries(
        info.options.map(({ name, kind, choices, autocompletes }) => {
          if (kind === 'attachment') return [name, []];
          if (kind === 'channel') return [name, [{ value: 'C1', label: 'C1' }]];
          if (kind === 'boolean') return [name, [{ value: 'true', label: 'Yes' }]];
          if (choices) return [name, choices.slice(0, 1)];
          if (kind !== 'text') return [name, [{ value: '3', label: '3' }]];
          return [name, [autocompletes ? choice : { value: long, label: long }]];
        }),
      );
      if (info.options.length > 0) checkView(commandModal(info, given, '{}', labels), 'modal');
    }
  });

  it('asks in words of the reader’s language, without the names that are typed', () => {
    const info = infosIn('ja').find(({ name }) => name === 'autotranslate reply')!;
    const { blocks } = commandModal(info, {}, '{}', labels);
    const shown = JSON.stringify(
      (blocks as readonly Json[]).map((block) => [block['label'], block['hint']]),
    );
    const below = texts.in('ja')('commands.autotranslate.reply.options.below');
    expect(shown).toContain(below.replace(/（.*/, ''));
    expect(shown).not.toMatch(/bots|below/i);
  });

  it('has a menu where choices are offered, one for several where a list is meant', () => {
    const one = elementsOf(commandModal(infoOf('transcribe'), {}, '{}', labels));
    expect(one['language']?.['type']).toBe('external_select');
    const many = elementsOf(commandModal(infoOf('autotranslate reply'), {}, '{}', labels));
    expect(many['languages']?.['type']).toBe('multi_external_select');
    expect(many['bots']?.['type']).toBe('static_select');
    const rich = elementsOf(commandModal(infoOf('translate'), {}, '{}', labels));
    expect(rich['text']?.['type']).toBe('rich_text_input');
  });
});

describe('the titles of modals', () => {
  const fromHome = new Set(['voice', 'glossary export']);
  const opens = (info: CommandInfo): boolean =>
    info.needs !== 'rooms' && (fromHome.has(info.name) || needsModal(info, {}));

  it.each(texts.locales)('stand there whole: %s', (locale) => {
    const infos = infosIn(locale);
    const titles = infos.filter(opens).map(({ title, summary }) => title ?? summary);
    const forms = infos.flatMap((info) => info.forms ?? []).map(({ title }) => title);
    const buttons = (['slack.send', 'slack.cancel'] as const).map((key) => texts.in(locale)(key));
    const cut = [...titles, ...forms, ...buttons].filter((one) => one.length > TITLE_CHARS);
    expect(cut).toEqual([]);
  });
});

describe('a field', () => {
  type Field = { readonly block_id?: string } & Partial<
    Record<'label' | 'hint', { readonly text: string }>
  >;
  const fieldsOf = (info: CommandInfo) =>
    commandModal(info, {}, '{}', labels).blocks as readonly Field[];

  it.each(texts.locales)('has its remarks below it, and not in its label: %s', (locale) => {
    const shown = infosIn(locale)
      .flatMap(fieldsOf)
      .map(({ label }) => label?.text ?? '');
    expect(shown.filter((label) => /[()（）;；]/.test(label))).toEqual([]);
  });

  it('has the default as its hint', () => {
    const field = fieldsOf(infoOf('translate')).find((one) => one.block_id === 'to');
    const words = texts.in('en')('commands.translate.options.to');
    expect(`${field?.label?.text} (${field?.hint?.text.toLowerCase()})`).toBe(words);
  });
});

describe('what people enter', () => {
  it('is read from every kind of field; empty ones are left out', () => {
    const values = {
      text: { value: { value: 'hello' } },
      to: { value: { selected_option: { value: 'es' } } },
      languages: { value: { selected_options: [{ value: 'es' }, { value: 'ja' }] } },
      channel: { value: { selected_conversation: 'C1' } },
      audio: { value: { files: [{ id: 'F1' }] } },
      none: { value: { value: '' } },
      nobody: { value: { selected_options: [] } },
      nothing: { value: { selected_option: null } },
      other: { value: { rich_text_value: { type: 'another_block' }, value: 'words' } },
    };
    expect(enteredValues({ values } as unknown as Parameters<typeof enteredValues>[0])).toEqual({
      text: 'hello',
      to: 'es',
      languages: 'es, ja',
      channel: 'C1',
      audio: { fileId: 'F1' },
      other: 'words',
    });
  });
});
