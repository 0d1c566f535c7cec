// The way to pay in WooCommerce's checkout of blocks: its title and description, and nothing to fill in.
(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry;
  const { createElement } = window.wp.element;
  const { decodeEntities } = window.wp.htmlEntities;
  const settings = window.wc.wcSettings.getSetting("tefo_data", {});
  const title = decodeEntities(settings.title || "Tefo");
  const Description = () => decodeEntities(settings.description || "");

  registerPaymentMethod({
    name: "tefo",
    label: createElement("span", null, title),
    ariaLabel: title,
    content: createElement(Description),
    edit: createElement(Description),
    canMakePayment: () => true,
    supports: { features: settings.supports || ["products"] },
  });
})();
