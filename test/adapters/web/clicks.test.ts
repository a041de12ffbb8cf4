import { expect, test } from 'vitest';
import { clickOn } from '../../../adapters/web/page/icons.ts';

const createButtons = () => {
  const ran: string[] = [];
  const prevented: string[] = [];
  const click = (label: string, detail: number): void =>
    clickOn(label, () => ran.push(label))({ detail, preventDefault: () => prevented.push(label) });
  return { click, ran, prevented };
};

test('a double click does not press the button that took the place of the first', () => {
  const { click, ran, prevented } = createButtons();
  click('Opt out', 1);
  click('Opt in', 2);
  click('Opt in', 3);
  expect(ran).toEqual(['Opt out']);
  expect(prevented).toEqual(['Opt in', 'Opt in']);
  click('Opt in', 1);
  expect(ran).toEqual(['Opt out', 'Opt in']);
});

test('quick clicks all count on buttons of the same label', () => {
  const { click, ran, prevented } = createButtons();
  for (const detail of [1, 2, 3]) click('Next', detail);
  expect(ran).toEqual(['Next', 'Next', 'Next']);
  expect(prevented).toEqual([]);
});

test('each press of a key counts', () => {
  const { click, ran } = createButtons();
  click('Opt out', 0);
  click('Opt in', 0);
  expect(ran).toEqual(['Opt out', 'Opt in']);
});
