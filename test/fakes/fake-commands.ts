import type { CommandInfo, OptionInfo } from '../../src/model/command-info.ts';

const option = (name: string, part: Partial<OptionInfo> = {}): OptionInfo => ({
  name,
  description: `The ${name}`,
  kind: 'text',
  required: false,
  autocompletes: false,
  ...part,
});

const command = (
  name: string,
  summary: string,
  options: readonly OptionInfo[],
  part: Partial<CommandInfo> = {},
): CommandInfo => ({ name, summary, options, slow: false, private: false, ...part });

/** Commands with every kind of option. */
export const FAKE_COMMANDS: readonly CommandInfo[] = [
  command('translate', 'Translate a text', [
    option('text', { required: true }),
    option('to', { required: true, autocompletes: true }),
    option('from', { autocompletes: true }),
  ]),
  command('say', 'Speak a text', [
    option('text', { required: true, maxLength: 500 }),
    option('format', { choices: ['mp3', 'wav'].map((value) => ({ value, label: value })) }),
    option('speed', { kind: 'number', minimum: 0.5, maximum: 2 }),
  ]),
  command('transcribe', 'Write down what is said', [
    option('audio', { kind: 'attachment', required: true }),
    option('language', { autocompletes: true }),
  ]),
  command('ask', 'Ask the language model', [option('question', { required: true })], {
    slow: true,
  }),
  command('wait', 'Work until it is stopped', [], { slow: true }),
  command('fail', 'End in an error', []),
  command('secret', 'Answer the asker alone', [], { private: true }),
  command('panel', 'Show something to press', []),
  command('own', 'Show the asker alone something to press', [], { private: true }),
  command('picture', 'Show a picture', []),
  command('notice', 'Tell everybody', [], { privatePresses: ['notice choose'] }),
  command('language', 'Choose a language', [option('language', { required: true })]),
  command('repeat', 'Take numbers and switches', [
    option('times', { kind: 'integer', required: true, minimum: 1, maximum: 5 }),
    option('loud', { kind: 'boolean' }),
  ]),
  command('glossary add', 'Add a term', [option('term', { required: true })]),
  command('glossary import', 'Read a CSV file', [
    option('file', { kind: 'attachment', required: true }),
  ]),
];
