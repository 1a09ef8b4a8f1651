'use strict';
// Every name is somebody's text: it goes into the page by append() and attributes, never as HTML.
const EVERY = 5000, AGAIN = 500, LONGEST = 30000, PATIENCE = 20000, MOST_ALERTS = 25, OPEN_AT_FIRST = 2, MOST_CELLS = 8000, MOST_IN_LINK = 72;
// Of racks.json, as RacksDocument writes it.
const VERSION = 3, RELOAD = 60000;
const STATES = {C: ['connected', '●'], D: ['degraded', '◐'], L: ['lost', '✕'], U: ['unknown', '?'], '-': ['the node itself', '·']};
// Of imports by the fabric test; a small letter contradicts nvidia-imex, which calls the two connected.
const PROOFS = {'+': ['proven', '✓'], F: ['failed', '✕'], f: ['failed, and nvidia-imex calls the two connected', '✕'], T: ['hung', 'T'], t: ['hung, and nvidia-imex calls the two connected', 'T'], '.': ['not tried', '·'], S: ['stale', '~'], '-': ['the node itself', '']};
const MARKS = {critical: '✕', warning: '!', info: 'i', ok: '✓', none: '–'};
const WORDS = {critical: 'Critical', warning: 'Warning', info: 'Info'};
const NO_REPORT = 'no report';
const byId = id => document.getElementById(id);
const racks = new Map();
let etag = '', failures = 0, opened = '', awaySince = null, timer = 0, busy = false, first = true, data = null, reload = 0;

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}
const count = (number, one, many) => number.toLocaleString('en') + ' ' + (number === 1 ? one : many);
const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
const clock = time => time.toLocaleTimeString([], {hour12: false});
const key = rack => rack.clique || 'none';
const title = rack => rack.name;

function age(text) {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(text)) / 1000));
  if (Number.isNaN(seconds)) return text;
  if (seconds < 120) return seconds + ' s';
  if (seconds < 7200) return Math.floor(seconds / 60) + ' min';
  return seconds < 172800 ? Math.floor(seconds / 3600) + ' h' : Math.floor(seconds / 86400) + ' d';
}

function mark(severity) {
  return make('span', {class: 'mark ' + severity, 'aria-hidden': 'true'}, MARKS[severity]);
}

function alertLine(alert, rack) {
  return make('li', {}, mark(alert.severity),
    make('strong', {class: alert.severity}, WORDS[alert.severity] + ': '),
    rack ? make('a', {href: '#rack-' + key(rack)}, title(rack)) : null, rack ? ': ' : null, alert.text,
    alert.consequences.length ? make('span', {class: 'sub'}, '; and ' + alert.consequences.join(', ')) : null,
    alert.since ? make('span', {class: 'sub'}, ', for ', ago(alert.since)) : null, ' ', runbook(alert),
    rack || !alert.step ? null : make('span', {class: 'sub step'}, 'Next: ' + alert.step));
}

// An address of the configuration; what is none of the web would be a script of its own.
function web(address, change) {
  let url;
  try { url = new URL(address); } catch (malformed) { return null; }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  change(url);
  return url.href;
}

function outside(href, text, label) {
  return href && make('a', {href, class: 'outside', target: '_blank', rel: 'noopener noreferrer', 'aria-label': label}, text + ' ↗');
}

function grafana(nodes, label) {
  return outside(web(data.grafana, url => {
    url.pathname = url.pathname.replace(/\/*$/, '/d/imex-agent');
    nodes.slice(0, MOST_IN_LINK).forEach(node => url.searchParams.append('var-node', node));
  }), 'Grafana', label);
}

// The row of what is wrong in the operator's runbook.
function runbook(alert) {
  return outside(web(data.runbook, url => { url.hash = alert.kind ? 'cause-' + alert.kind : ''; }), 'Runbook', 'Runbook: ' + alert.text);
}

const lost = tray => tray.state === 'NotReady' || tray.state === 'Missing';
const severityOf = tray => tray.imex && tray.imex !== 'not-applicable' ? tray.severity : 'none';

function trays(rack) {
  const rows = rack.trays.map(tray => {
    const severity = severityOf(tray);
    return make('tr', {},
      make('th', {scope: 'row'}, nodeButton(tray.node)),
      make('td', {class: lost(tray) ? 'critical' : undefined}, lost(tray) ? mark('critical') : null, tray.state),
      make('td', {class: 'number'}, String(tray.gpus)),
      make('td', {}, tray.driver || '–'),
      make('td', {class: severity}, mark(severity), tray.imex || NO_REPORT),
      make('td', {class: 'number'}, tray.since ? make('time', {datetime: tray.since, title: tray.since}, age(tray.since)) : '–'),
      make('td', {class: 'number'}, tray.peers || '–'));
  });
  const heads = ['Node', 'State', 'GPUs', 'Driver', 'nvidia-imex', 'Age', 'Connected'];
  return make('div', {class: 'scroll'}, make('table', {class: 'list nodes'},
    make('caption', {}, 'Nodes'),
    make('thead', {}, make('tr', {}, ...heads.map(head =>
      make('th', {scope: 'col', class: ['GPUs', 'Age', 'Connected'].includes(head) ? 'number' : undefined}, head)))),
    make('tbody', {}, ...rows)));
}

// What all names begin with says nothing in a narrow column.
function shortNames(names) {
  let same = names.length > 1 ? names.reduce((one, other) => {
    let at = 0;
    while (at < one.length && one[at] === other[at]) at++;
    return one.slice(0, at);
  }) : '';
  same = same.slice(0, same.search(/[^-._]*$/));
  return names.map(name => name.length > same.length ? name.slice(same.length) : name);
}

function heatMap(rack, field, signs, others, caption, verb) {
  const nodes = rack.trays.map(tray => tray.node), columns = nodes.concat(others), short = shortNames(nodes).concat(others);
  const detail = make('p', {class: 'detail', 'aria-hidden': 'true'});
  const grid = make('table', {class: columns.length > MOST_NARROW ? 'heat' : 'heat narrow', role: 'grid', 'aria-readonly': 'true'},
    make('caption', {}, caption),
    make('thead', {}, make('tr', {role: 'row'}, make('td', {}), ...columns.map((name, at) =>
      make('th', {scope: 'col', role: 'columnheader', title: name, 'aria-label': name}, short[at])))),
    make('tbody', {}, ...rack.trays.map((tray, row) => make('tr', {role: 'row'},
      make('th', {scope: 'row', role: 'rowheader', title: tray.node, 'aria-label': tray.node}, short[row]),
      ...Array.from(tray[field], (state, column) => make('td', {
        role: 'gridcell', 'data-s': state, tabindex: row + column ? '-1' : '0',
        'aria-label': row === column ? tray.node + ': the node itself' : tray.node + verb + columns[column] + ': ' + signs[state][0],
      }, signs[state][1]))))));
  const cell = (row, column) => grid.tBodies[0].rows[row].cells[column + 1];
  const describe = target => {
    const at = target.closest('td[data-s]');
    if (!at) return;
    const row = at.parentNode.rowIndex - 1, column = at.cellIndex - 1;
    const back = column < nodes.length && row !== column ? '; back: ' + signs[rack.trays[column][field][row]][0] : '';
    detail.textContent = at.getAttribute('aria-label') + back;
  };
  grid.addEventListener('mouseover', event => describe(event.target));
  grid.addEventListener('focusin', event => {
    grid.querySelectorAll('td[tabindex="0"]').forEach(old => { old.tabIndex = -1; });
    event.target.tabIndex = 0;
    describe(event.target);
  });
  grid.addEventListener('keydown', event => {
    const at = event.target.closest('td[data-s]');
    if (!at || event.altKey || event.metaKey) return;
    let row = at.parentNode.rowIndex - 1, column = at.cellIndex - 1;
    const lastRow = nodes.length - 1, lastColumn = columns.length - 1;
    switch (event.key) {
      case 'ArrowUp': row--; break;
      case 'ArrowDown': row++; break;
      case 'ArrowLeft': column--; break;
      case 'ArrowRight': column++; break;
      case 'Enter': openDrawer(key(rack), nodes[row]); break;
      case 'Home': column = 0; if (event.ctrlKey) row = 0; break;
      case 'End': column = lastColumn; if (event.ctrlKey) row = lastRow; break;
      default: return;
    }
    event.preventDefault();
    if (event.key !== 'Enter') cell(Math.min(Math.max(row, 0), lastRow), Math.min(Math.max(column, 0), lastColumn)).focus();
  });
  const legend = Object.entries(signs).filter(([letter]) => letter !== '-').map(([letter, [name, sign]]) =>
    make('li', {}, make('span', {'data-s': letter, 'aria-hidden': 'true'}, sign), name));
  return make('div', {class: 'links'}, make('div', {class: 'scroll'}, grid), make('ul', {class: 'legend', 'aria-label': 'Signs'}, ...legend), detail);
}

function workloads(rack) {
  if (!rack.workloads.length) {
    return make('p', {class: 'sub wide'}, data.isolation === 'None'
      ? 'No workload uses channel 0 here.' : 'No workload has a channel here.');
  }
  return make('div', {class: 'scroll wide'}, make('table', {class: 'list'},
    make('caption', {}, 'Workloads'),
    make('thead', {}, make('tr', {}, ...['Workload', 'Channel', 'State', 'Held by'].map(head => make('th', {scope: 'col'}, head)))),
    make('tbody', {}, ...rack.workloads.map(workload => make('tr', {},
      make('th', {scope: 'row'}, workload.namespace + '/' + workload.name),
      make('td', {}, workload.channel === undefined ? '–' : String(workload.channel)),
      make('td', {}, workload.channel === undefined ? 'waiting' : workload.channel === 0 ? 'shared' : workload.releasing ? 'releasing' : 'bound'),
      make('td', {}, workload.nodes.length ? workload.nodes.join(', ') : '–'))))));
}

function body(rack) {
  const metrics = grafana(rack.trays.map(tray => tray.node), 'Grafana of ' + title(rack));
  return make('div', {class: 'body'},
    metrics && make('p', {class: 'wide'}, metrics),
    rack.causes.length ? make('ul', {class: 'alerts wide', 'aria-label': 'Alerts of this rack'}, ...rack.causes.map(alert => alertLine(alert))) : null,
    trays(rack),
    rack.trays.some(tray => tray.links) ? heatMap(rack, 'links', STATES, rack.others, 'IMEX connections, row to column', ' to ') : rack.clique ? make('p', {class: 'sub'}, 'No connections are shown.') : null,
    rack.trays.some(tray => tray.proof) ? proofs(rack) : null,
    rack.clique ? workloads(rack) : null);
}

// What the fabric test proved, and in which runs.
function proofs(rack) {
  const part = heatMap(rack, 'proof', PROOFS, [], 'Imports by the fabric test, row from column', ' from ');
  part.append(make('p', {class: 'sub'}, 'Tested: ' + rack.tests.map(test => age(test.ended) + ' ago, level ' + test.level + ', by ' + test.by).join('; ')));
  return part;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const rgb = name => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/gi).map(part => parseInt(part, 16));
  return {C: rgb('--good-mark'), D: rgb('--warn-fill'), L: rgb('--bad'), U: rgb('--none-fill')};
}

// A matrix of more columns scrolls on a narrow screen.
const MOST_NARROW = 24;
const OWN = {critical: 'L', warning: 'D', ok: 'C', none: 'U'};

// The matrix in small, a pixel for a connection, and for a node itself; the line beside it says the same in words.
function drawSmall(canvas, rack, palette) {
  const size = rack.trays.length;
  if (!size || !rack.trays[0].links) return;
  canvas.width = canvas.height = size;
  const image = new ImageData(size, size);
  rack.trays.forEach((tray, row) => {
    for (let column = 0; column < size; column++) {
      const state = row === column ? OWN[lost(tray) ? 'critical' : severityOf(tray)] : tray.links[column];
      image.data.set([...palette[state], 255], 4 * (row * size + column));
    }
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

function verdicts(rack) {
  const counts = new Map();
  rack.trays.forEach(tray => counts.set(tray.imex || NO_REPORT, (counts.get(tray.imex || NO_REPORT) || 0) + 1));
  return [...counts].sort((one, other) => other[1] - one[1]).slice(0, 4).map(([verdict, number]) => number + ' ' + verdict).join(' · ');
}

function channels(rack) {
  if (rack.channels === undefined) return make('span', {class: 'sub'}, data.isolation === 'None' ? 'shared channel 0' : 'channels not known');
  const text = rack.used + ' of ' + count(rack.channels, 'channel', 'channels') + ' used';
  return make('span', {class: 'sub'}, text,
    make('meter', {min: 0, max: rack.channels, value: rack.used, high: Math.max(0, rack.channels - 10), optimum: 0, 'aria-label': text}));
}

function summary(rack, palette) {
  const severity = worst(rack);
  const canvas = make('canvas', {'aria-hidden': 'true'});
  drawSmall(canvas, rack, palette);
  return make('summary', {}, canvas,
    make('div', {}, make('h3', {}, title(rack)),
      rack.clique && rack.clique !== rack.name ? make('span', {class: 'sub clique'}, rack.clique) : null,
      make('span', {class: 'sub'}, count(rack.trays.length, 'node', 'nodes') + ', ' + count(sum(rack.trays, tray => tray.gpus), 'GPU', 'GPUs'))),
    make('span', {class: 'sub'}, 'nvidia-imex: ' + verdicts(rack)),
    channels(rack),
    make('span', {class: 'alert-count ' + severity}, mark(severity), rack.causes.length ? count(rack.causes.length, 'alert', 'alerts') : 'no alert'));
}

// Finds in a rack that is drawn again what is there now in the place of one of its parts: the button of a node, the cell of a
// matrix, else the line of the rack.
function placeOf(element, part) {
  const node = part.dataset.node, cell = part.closest('.heat td');
  const matrix = cell && [...element.querySelectorAll('.heat')].indexOf(cell.closest('.heat'));
  const row = cell && cell.parentNode.rowIndex, column = cell && cell.cellIndex;
  return () => {
    const again = node !== undefined ? [...element.querySelectorAll('button.node')].find(one => one.dataset.node === node)
      : cell && element.querySelectorAll('.heat')[matrix]?.rows[row]?.cells[column];
    return again || element.querySelector('summary');
  };
}

function focusIn(element) {
  const focused = document.activeElement;
  if (!element.contains(focused) || focused === element) return () => {};
  const place = placeOf(element, focused);
  return () => place().focus({preventScroll: true});
}

function drawBody(known) {
  const scrolled = [...known.element.querySelectorAll('.scroll')].map(part => part.scrollLeft);
  known.element.querySelector('.body')?.remove();
  if (known.element.open) {
    known.element.append(body(known.rack));
    known.element.querySelectorAll('.scroll').forEach((part, at) => { part.scrollLeft = scrolled[at] || 0; });
  }
}

function draw(document_) {
  const isolationChanged = data && data.isolation !== document_.isolation;
  data = document_;
  const palette = colours(), seen = new Set();
  for (const rack of data.racks) {
    const text = JSON.stringify(rack);
    let known = racks.get(key(rack));
    seen.add(key(rack));
    if (!known) {
      known = {element: make('details', {class: 'rack', id: 'rack-' + key(rack)})};
      const own = known;
      known.element.addEventListener('toggle', () => { if (own.element.open !== !!own.element.querySelector('.body')) drawBody(own); });
      known.element.open = data.racks.length <= OPEN_AT_FIRST && first;
      racks.set(key(rack), known);
    }
    if (known.text !== text || isolationChanged) {
      const focus = focusIn(known.element);
      known.text = text;
      known.rack = rack;
      known.search = [title(rack), rack.clique || '', ...rack.trays.map(tray => tray.node), ...rack.workloads.map(one => one.namespace + '/' + one.name)].join('\n').toLowerCase();
      known.element.querySelector('summary')?.remove();
      known.element.prepend(summary(rack, palette));
      drawBody(known);
      focus();
    }
  }
  for (const [name, known] of racks) {
    if (!seen.has(name)) { known.element.remove(); racks.delete(name); }
  }
  order();
  drawVerdict();
  drawTotals();
  drawAlerts();
  filter();
  drawDrawer();
  byId('stale').hidden = !data.stale;
  byId('stale').textContent = data.stale ? 'What is shown may be old. The controller cannot read from the API server ' + data.stale : '';
  if (first) { first = false; openLinked(); }
}

// The racks in the order of the document, sick ones first. What is moved loses the focus.
function order() {
  const focused = document.activeElement;
  let before = null;
  for (const rack of data.racks) {
    const element = racks.get(key(rack)).element;
    const place = before ? before.nextSibling : byId('racks').firstChild;
    if (element !== place) byId('racks').insertBefore(element, place);
    before = element;
  }
  if (document.activeElement !== focused && focused.isConnected) focused.focus({preventScroll: true});
}

const worst = rack => rack.causes.length ? rack.causes[0].severity : 'ok';

function drawVerdict() {
  const sick = severity => data.racks.filter(rack => worst(rack) === severity).length;
  const critical = sick('critical'), warning = sick('warning');
  const severity = critical ? 'critical' : warning ? 'warning' : 'ok';
  const parts = [critical ? critical.toLocaleString('en') + ' critical' : '', warning ? warning.toLocaleString('en') + ' with warnings' : ''];
  const text = critical + warning ? count(data.racks.length, 'rack', 'racks') + ': ' + parts.filter(part => part).join(', ')
    : data.racks.length ? 'Nothing is wrong in ' + count(data.racks.length, 'rack', 'racks') : 'No racks yet';
  // What has not changed is not said aloud again.
  if (byId('verdict').dataset.text === text) return;
  byId('verdict').dataset.text = text;
  byId('verdict').className = severity;
  byId('verdict').replaceChildren(mark(severity), text);
}

function drawTotals() {
  const all = data.racks.flatMap(rack => rack.trays), alerts = data.racks.flatMap(rack => rack.causes);
  const up = all.filter(tray => tray.imex === 'up').length, critical = alerts.filter(alert => alert.severity === 'critical').length;
  const known = data.racks.filter(rack => rack.channels !== undefined);
  const totals = [
    ['Racks', data.racks.filter(rack => rack.clique).length],
    ['Nodes', all.length, up.toLocaleString('en') + ' up'],
    ['GPUs', sum(all, tray => tray.gpus)],
    ['Channels used', data.isolation === 'None' ? 'shared' : sum(data.racks, rack => rack.used), known.length ? 'of ' + sum(known, rack => rack.channels).toLocaleString('en') : ''],
    ['Workloads', sum(data.racks, rack => rack.workloads.length)],
    ['Alerts', alerts.length, critical ? critical.toLocaleString('en') + ' critical' : ''],
  ];
  byId('totals').replaceChildren(...totals.map(([name, value, more]) => make('div', {}, make('dt', {}, name),
    make('dd', {class: name === 'Alerts' ? (critical ? 'critical' : value ? 'warning' : 'ok') : undefined}, value.toLocaleString('en'), more ? make('small', {}, more) : null))));
  document.title = (alerts.length ? '(' + alerts.length + ') ' : '') + 'NVLink racks';
}

function drawAlerts() {
  const all = data.racks.flatMap(rack => rack.causes.map(alert => [alert, rack]));
  const worst = [...all.filter(([alert]) => alert.severity === 'critical'), ...all.filter(([alert]) => alert.severity !== 'critical')];
  const lines = worst.slice(0, MOST_ALERTS).map(([alert, rack]) => alertLine(alert, rack));
  if (all.length > MOST_ALERTS) lines.push(make('li', {}, mark('none'), 'and ' + count(all.length - MOST_ALERTS, 'more, at its rack', 'more, at their racks')));
  if (!all.length) lines.push(make('li', {}, mark('ok'), data.racks.length ? 'Nothing is wrong.' : 'No node has written its NVLinkNode yet.'));
  // Ages change all the time, and are no change.
  const list = byId('alerts'), text = JSON.stringify([worst.slice(0, MOST_ALERTS).map(([alert, rack]) => [alert, key(rack), title(rack)]), all.length, data.racks.length > 0]);
  // What has not changed stays: a link in it may have the focus.
  if (list.dataset.text !== text) { list.dataset.text = text; list.replaceChildren(...lines); }
}

function filter() {
  const words = byId('find').value.toLowerCase().trim(), which = byId('show').value;
  let shown = 0;
  for (const {element, rack, search} of racks.values()) {
    const fits = search.includes(words) && (which === 'all' || (which === 'alerts' ? rack.causes.length : rack.workloads.length) > 0);
    element.hidden = !fits;
    if (fits) shown++;
  }
  byId('shown').textContent = [shown === racks.size ? '' : shown + ' of ' + racks.size + ' shown', opened].filter(part => part).join(', ');
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch (malformed) { return text; }
}

function openLinked() {
  const linked = location.hash.startsWith('#rack-') && byId(decoded(location.hash.slice(1)));
  if (!linked) return;
  linked.hidden = false;
  linked.open = true;
  linked.scrollIntoView();
  linked.querySelector('summary').focus();
}

function status(text, away) {
  byId('status').className = away ? 'away' : '';
  // Only a change is worth saying aloud: the time that goes on is not.
  byId('status').setAttribute('aria-live', away || failures ? 'polite' : 'off');
  byId('status').textContent = text;
}

async function poll() {
  clearTimeout(timer);
  if (busy || document.hidden) return;
  busy = true;
  const had = data !== null;
  try {
    const answer = await fetch('racks.json', {cache: 'no-store', headers: etag ? {'If-None-Match': etag} : {}, signal: AbortSignal.timeout(PATIENCE)});
    if (answer.status === 200) {
      const report = await answer.json();
      if (report.version !== VERSION) {
        // The controller was upgraded under an open page, or another replica answers.
        reload = reload || setTimeout(() => location.reload(), RELOAD);
        throw new Error('it has another version; this page is loaded again within a minute');
      }
      draw(report);
      etag = answer.headers.get('ETag') || '';
    } else if (answer.status !== 304) {
      throw new Error((await answer.text()).trim().slice(0, 300) || 'status ' + answer.status);
    }
    status((awaySince && had ? 'Back, up' : 'Up') + ' to date at ' + clock(new Date()), false);
    failures = 0;
    awaySince = null;
  } catch (failure) {
    failures++;
    awaySince = awaySince || new Date();
    const why = failure instanceof TypeError || failure.name === 'TimeoutError' ? '' : ' (' + failure.message + ')';
    status('No answer from the controller since ' + clock(awaySince) + why + (data ? '; what is shown is of before' : '') + '. Trying again.', true);
  } finally {
    busy = false;
    timer = setTimeout(poll, failures ? Math.min(AGAIN * 2 ** Math.min(failures, 8), LONGEST) : EVERY);
  }
}

// As many as a browser draws at once without a pause, the sick ones first.
function openShown() {
  let left = MOST_CELLS, open = 0, closed = 0;
  for (const rack of data ? data.racks : []) {
    const element = racks.get(key(rack)).element;
    if (element.hidden) continue;
    left -= rack.trays.length ** 2;
    if (left < 0 && open) { closed += element.open ? 0 : 1; continue; }
    element.open = true;
    open++;
  }
  opened = closed ? 'the first ' + open + ' opened: narrow the list for the others' : '';
  filter();
}

function forget() {
  opened = '';
  filter();
}

byId('find').addEventListener('input', forget);
byId('show').addEventListener('change', forget);
byId('tools').addEventListener('submit', event => event.preventDefault());
byId('open').addEventListener('click', openShown);
byId('close').addEventListener('click', () => { racks.forEach(known => { known.element.open = false; }); forget(); });
document.addEventListener('visibilitychange', poll);
window.addEventListener('online', poll);
window.addEventListener('hashchange', openLinked);
// The link of an alert that was followed before changes no address.
byId('alerts').addEventListener('click', event => { if (event.target.closest('a')?.hash === location.hash) setTimeout(openLinked); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  const palette = colours();
  racks.forEach(known => drawSmall(known.element.querySelector('canvas'), known.rack, palette));
});
setInterval(() => document.querySelectorAll('time').forEach(time => { time.textContent = age(time.dateTime); }), 15000);
poll();
