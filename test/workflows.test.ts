import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

// The parser imports JSON in a way that Node does not take.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
hooks.deregister();

const FOLDER = '.github/workflows';

const workflow = z.looseObject({
  on: z.unknown(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'none'])),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.number(),
      permissions: z.record(z.string(), z.string()).optional(),
      steps: z.array(
        z.looseObject({
          uses: z.string().optional(),
          run: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
});

const files = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return { name, text };
});

/** What GitHub would say of a workflow. */
const faultsOf = (name: string, content: string): readonly string[] =>
  parseWorkflow({ name, content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message);

describe('a workflow file', () => {
  it('that GitHub would refuse is found out', () => {
    const wrong = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - used: y\n';
    expect(faultsOf('wrong.yaml', wrong)).not.toEqual([]);
  });

  it.each(files)('$name is one that GitHub takes', ({ name, text }) => {
    expect(faultsOf(name, text)).toEqual([]);
  });

  it.each(files)('$name runs only actions that are pinned by their commit', ({ text }) => {
    const used = text.split('\n').filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(files)('$name may only read unless a job says more, and ends', ({ text }) => {
    const { permissions, jobs } = workflow.parse(parse(text));
    expect(Object.values(permissions)).not.toContain('write');
    for (const { 'timeout-minutes': minutes } of Object.values(jobs))
      expect(minutes).toBeLessThanOrEqual(120);
  });

  it.each(files)('$name gives strangers no say and no token', ({ text }) => {
    // It would run with the rights of this repository for what a stranger proposes.
    expect(text).not.toContain('pull_request_target');
    const steps = Object.values(workflow.parse(parse(text)).jobs).flatMap((job) => job.steps);
    for (const { uses = '', run = '', with: given } of steps) {
      // What a stranger wrote, such as a title, would be part of the script.
      expect(run).not.toMatch(/\$\{\{/);
      if (uses.startsWith('actions/checkout@'))
        expect(given).toMatchObject({ 'persist-credentials': false });
    }
  });
});
