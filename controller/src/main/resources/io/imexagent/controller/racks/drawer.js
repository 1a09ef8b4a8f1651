
// The drawer of a node: what racks.json says of it. It stays open while the page is drawn again.
const drawer = byId('drawer');
const OLDER = 'unknown: its agent is of an older version';
let inDrawer = null;

const nodeButton = node => make('button', {type: 'button', class: 'node', 'data-node': node, 'aria-haspopup': 'dialog'}, node);
const ago = text => make('time', {datetime: text, title: text}, age(text));

function openDrawer(rack, node) {
  const element = racks.get(rack).element;
  inDrawer = {rack, node, back: placeOf(element, document.activeElement)};
  drawer.replaceChildren(
    make('header', {}, make('h2', {id: 'drawer-title'}, node), make('button', {type: 'button', id: 'drawer-close'}, 'Close')),
    make('div', {id: 'drawer-body'}));
  drawDrawer();
  drawer.showModal();
}

function fact(name, ...value) {
  return [make('dt', {}, name), make('dd', {}, ...value)];
}

function findings(tray) {
  if (!tray.agent) return [OLDER];
  if (!tray.agent.findings) return ['none'];
  return [make('ul', {class: 'alerts'}, ...tray.agent.findings.map(finding => make('li', {}, mark(finding.severity),
    make('strong', {class: finding.severity}, (WORDS[finding.severity] || 'Fine') + ': '), make('code', {}, finding.code))))];
}

function xids(tray) {
  if (!tray.agent) return [OLDER];
  if (!tray.agent.xidsSince) return ['unknown: no agent has listened to the GPUs since the boot'];
  if (!tray.agent.xids) return ['none in the last ', ago(tray.agent.xidsSince)];
  return [make('table', {class: 'list'},
    make('thead', {}, make('tr', {}, ...['GPU', 'Xid', 'Times', 'Last'].map(head => make('th', {scope: 'col', class: 'number'}, head)))),
    make('tbody', {}, ...tray.agent.xids.map(xid => make('tr', {},
      make('td', {class: 'number'}, xid.gpu === undefined ? '–' : String(xid.gpu)),
      make('td', {class: 'number'}, String(xid.xid)),
      make('td', {class: 'number'}, String(xid.count)),
      make('td', {class: 'number'}, ago(xid.last), ' ago')))))];
}

function gpus(tray) {
  if (!tray.agent) return [tray.gpus + ' work'];
  return [tray.gpus + ' of ' + tray.agent.gpus + ' work' + (tray.agent.product ? ', ' + tray.agent.product : '')];
}

function drawDrawer() {
  if (!inDrawer) return;
  const rack = data.racks.find(one => key(one) === inDrawer.rack);
  const tray = rack && rack.trays.find(one => one.node === inDrawer.node);
  const text = JSON.stringify([rack && rack.name, tray, rack && rack.workloads]);
  if (inDrawer.text === text) return;
  inDrawer.text = text;
  if (!tray) {
    byId('drawer-body').replaceChildren(make('p', {}, 'The node is no more reported in this rack.'));
    return;
  }
  const severity = severityOf(tray), held = rack.workloads.filter(workload => workload.nodes.includes(tray.node));
  byId('drawer-body').replaceChildren(make('dl', {class: 'facts'},
    ...fact('Rack', title(rack)),
    ...fact('Node', lost(tray) ? mark('critical') : null, tray.state, ...(tray.lostSince ? [' for ', ago(tray.lostSince)] : [])),
    ...fact('nvidia-imex', mark(severity), tray.imex || NO_REPORT, ...(tray.since ? [' for ', ago(tray.since)] : [])),
    ...fact('Connected to', tray.peers ? tray.peers + ' nodes' : 'unknown', tray.address ? ', as ' + tray.address : ''),
    ...fact('GPUs', ...gpus(tray)),
    ...fact('Findings', ...findings(tray)),
    ...fact('Xids', ...xids(tray)),
    ...(data.grafana ? fact('Metrics', grafana([tray.node], 'Grafana of ' + tray.node)) : []),
    ...fact('Driver', tray.driver || 'unknown'),
    ...fact('imex-agent', tray.agent ? tray.agent.version : OLDER),
    ...fact('Mode', tray.mode ? tray.mode + (tray.isolation ? ', ' + tray.isolation : '') : 'unknown'),
    ...fact('Workloads', held.length ? held.map(one => one.namespace + '/' + one.name + (one.channel === undefined ? '' : ' on channel ' + one.channel)).join(', ') : 'none')));
}

byId('racks').addEventListener('click', event => {
  const button = event.target.closest('button.node');
  if (button) openDrawer(key(racksOf(button)), button.dataset.node);
});
const racksOf = part => [...racks.values()].find(known => known.element.contains(part)).rack;
// A click beside the drawer is on its backdrop, which counts as the dialog itself.
drawer.addEventListener('click', event => { if (event.target === drawer || event.target.id === 'drawer-close') drawer.close(); });
drawer.addEventListener('close', () => {
  const back = inDrawer.back;
  inDrawer = null;
  back()?.focus({preventScroll: true});
});
