/** A picture of values over time, one below the other, readable on light and on dark ground. */

export interface Line {
  readonly name: string;
  /** Number of the colour, from 0 to 3. */
  readonly colour: number;
  readonly isDashed?: boolean;
  /** Times in s, and values. */
  readonly points: readonly (readonly [atS: number, value: number])[];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 900;
const LEFT = 64;
const RIGHT = 16;
const TOP = 44;
const PANEL = 150;
const BETWEEN = 56;
const BOTTOM = 40;
const STEPS = 4;
const PER_MINUTE = 60;

/** A round number that is at least this. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 4, 5, 8, 10].map((each) => each * power).find((each) => each >= value) ?? value;
};

const STYLE = `
  .ground { fill: #ffffff } .grid { stroke: #d5dae2; stroke-width: 1 } .mark { stroke: #c2410c; stroke-width: 1; stroke-dasharray: 2 4 }
  .line { fill: none; stroke-width: 1.6; stroke-linejoin: round } .dashed { stroke-dasharray: 5 4 }
  .c0 { stroke: #1d4ed8 } .c1 { stroke: #b45309 } .c2 { stroke: #0f766e } .c3 { stroke: #a21caf }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1c2430 } .title { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .grid { stroke: #30363d } .mark { stroke: #fb923c } text { fill: #e8edf5 }
    .c0 { stroke: #7aa2ff } .c1 { stroke: #f5b062 } .c2 { stroke: #5eead4 } .c3 { stroke: #f0a6ff }
  }`;

/**
 * Draws the panels over one axis of minutes.
 *
 * @param marksS times that a dotted line marks, and what it means
 */
export const drawPlot = (
  title: string,
  panels: readonly Panel[],
  { endS, marksS, meaning }: { endS: number; marksS: readonly number[]; meaning: string },
): string => {
  const height = TOP + panels.length * (PANEL + BETWEEN) + BOTTOM;
  const endMinutes = Math.max(1, Math.ceil(endS / PER_MINUTE));
  const across = WIDTH - LEFT - RIGHT;
  const x = (atS: number): string => (LEFT + (atS / (endMinutes * PER_MINUTE)) * across).toFixed(1);
  const minuteStep = Math.max(1, Math.ceil(endMinutes / 10));

  const drawPanel = ({ title: name, unit, lines }: Panel, index: number): string => {
    const top = TOP + 24 + index * (PANEL + BETWEEN);
    const most = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y))));
    const y = (value: number): string => (top + PANEL * (1 - value / most)).toFixed(1);
    const parts = [
      `<text class="title" x="${LEFT}" y="${top - 10}">${name}, ${unit}</text>`,
      ...Array.from({ length: STEPS + 1 }, (_, step) => {
        const value = (most * step) / STEPS;
        const label = `<text x="${LEFT - 8}" y="${Number(y(value)) + 4}" text-anchor="end">${value}</text>`;
        return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>${label}`;
      }),
      ...marksS.map(
        (atS) =>
          `<line class="mark" x1="${x(atS)}" x2="${x(atS)}" y1="${top}" y2="${top + PANEL}"/>`,
      ),
    ];
    for (let minute = 0; minute <= endMinutes; minute += minuteStep)
      parts.push(
        `<text x="${x(minute * PER_MINUTE)}" y="${top + PANEL + 16}" text-anchor="middle">${minute} min</text>`,
      );
    let at = WIDTH - RIGHT;
    for (const line of lines.toReversed()) {
      const look = `line c${line.colour}${line.isDashed ? ' dashed' : ''}`;
      const points = line.points.map(([atS, value]) => `${x(atS)},${y(value)}`).join(' ');
      parts.push(
        `<polyline class="${look}" points="${points}"/>`,
        `<text x="${at}" y="${top - 10}" text-anchor="end">${line.name}</text>`,
      );
      at -= line.name.length * 6.4 + 8;
      parts.push(
        `<line class="${look}" x1="${at - 20}" x2="${at}" y1="${top - 14}" y2="${top - 14}"/>`,
      );
      at -= 36;
    }
    return parts.join('\n');
  };

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="${LEFT}" y="26">${title}</text>
<text x="${WIDTH - RIGHT}" y="26" text-anchor="end">dotted: ${meaning}</text>
${panels.map(drawPanel).join('\n')}
</svg>
`;
};
